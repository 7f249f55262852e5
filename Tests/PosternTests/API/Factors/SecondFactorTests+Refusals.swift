import Foundation
import Project
import Storage
import TestKit
import Testing

extension SecondFactorTests {
    @Test("is asked for by the contract's rules, in their order")
    func enrollmentErrors() async throws {
        try await running { server in
            let user = try await server.signUp("a@b.c")
            let anonymous = try server.session(try await server.call("signUp", [:]))
            let unsupported = "UNSUPPORTED_FIRST_FACTOR : MFA is not available for the given first factor."
            let none: JSONValue = [:]
            let totp: JSONValue = ["totpEnrollmentInfo": [:]]
            let unverified = "UNVERIFIED_EMAIL : Need to verify email first before enrolling second factors."
            let cases: [(String, JSONValue, String)] = [
                ("", none, "MISSING_ID_TOKEN"), ("nonsense", none, "INVALID_ID_TOKEN"),
                (anonymous.idToken, none, unsupported), (user.idToken, totp, unverified),
            ]
            for (idToken, body, message) in cases {
                let token: JSONValue = ["idToken": .string(idToken)]
                #expect(try await server.callV2("mfaEnrollment:start", body.merging(token)).errorMessage == message)
            }
            let verified = try await server.verifiedUser("b@b.c")
            let token: JSONValue = ["idToken": .string(verified.idToken)]
            for (body, message) in [
                ([:], "INVALID_ARGUMENT : ((Missing phoneEnrollmentInfo.))"),
                (["phoneEnrollmentInfo": [:]], "INVALID_PHONE_NUMBER : Invalid format."),
                (["phoneEnrollmentInfo": ["phoneNumber": "5550100"]], "INVALID_PHONE_NUMBER : Invalid format."),
            ] as [(JSONValue, String)] {
                #expect(try await server.callV2("mfaEnrollment:start", body.merging(token)).errorMessage == message)
            }
            let offer = try await server.callV2("mfaEnrollment:start", token.merging(["totpEnrollmentInfo": [:]]))
            let sessionInfo = try #require(offer["totpSessionInfo"]?["sessionInfo"])
            let other: JSONValue = ["idToken": .string(try await server.verifiedUser("c@b.c").idToken)]
            for (token, body, message) in [
                (token, [:], "INVALID_ARGUMENT : ((Missing phoneVerificationInfo.))"),
                (token, ["phoneVerificationInfo": ["sessionInfo": "x"]], "MISSING_CODE"),
                (token, ["phoneVerificationInfo": ["code": "1"]], "MISSING_SESSION_INFO"),
                (token, ["totpVerificationInfo": ["sessionInfo": "x"]], "MISSING_CODE"),
                (token, ["totpVerificationInfo": ["sessionInfo": "x", "verificationCode": "1"]], "INVALID_SESSION_INFO"),
                (
                    token, ["totpVerificationInfo": ["sessionInfo": sessionInfo, "verificationCode": "abcdef"]],
                    "INVALID_CODE"
                ),
                (
                    other, ["totpVerificationInfo": ["sessionInfo": sessionInfo, "verificationCode": "123456"]],
                    "INVALID_SESSION_INFO"
                ),
            ] as [(JSONValue, JSONValue, String)] {
                #expect(try await server.callV2("mfaEnrollment:finalize", body.merging(token)).errorMessage == message)
            }
            server.clock.advance(by: .seconds(310))
            let stale = try await server.callV2("mfaEnrollment:start", token.merging(["totpEnrollmentInfo": [:]]))
            #expect(stale.errorMessage == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
            server.clock.advance(by: .seconds(310))
            let late = try await server.callV2(
                "mfaEnrollment:finalize",
                token.merging(["totpVerificationInfo": ["sessionInfo": sessionInfo, "verificationCode": "123456"]])
            )
            #expect(late.errorMessage == "SESSION_EXPIRED")
        }
    }
    @Test("is shown by the contract's rules; its credential is nothing else, and dies with a new password (MFA-01)")
    func signInErrors() async throws {
        try await running { server in
            let enrolled = try await server.enrollApp(try await server.verifiedUser("a@b.c"))
            let pending = try await server.signIn("a@b.c")
            let credential = try #require(pending["mfaPendingCredential"]?.string)
            let id: JSONValue = ["mfaEnrollmentId": .string(enrolled.enrollmentID)]
            let held: JSONValue = ["mfaPendingCredential": .string(credential)]
            for (body, message) in [
                ([:], "MISSING_MFA_PENDING_CREDENTIAL : Request does not have MFA pending credential."),
                (held, "MISSING_MFA_ENROLLMENT_ID : No second factor identifier is provided."),
                (id.merging(["mfaPendingCredential": "garbage"]), "INVALID_MFA_PENDING_CREDENTIAL"),
                (held.merging(["mfaEnrollmentId": "nobody"]), "MFA_ENROLLMENT_NOT_FOUND"),
                (held.merging(id), "INVALID_ARGUMENT : MFA provider not supported!"),
            ] as [(JSONValue, String)] {
                #expect(try await server.callV2("mfaSignIn:start", body).errorMessage == message)
            }
            let code: JSONValue = ["totpVerificationInfo": ["verificationCode": "abcdef"]]
            for (body, message) in [
                ([:], "MISSING_CREDENTIAL : Please set MFA Pending Credential."),
                (held, "INVALID_ARGUMENT : MFA provider not supported!"),
                (held.merging(["phoneVerificationInfo": [:]]), "MISSING_CODE"),
                (held.merging(["phoneVerificationInfo": ["code": "1"]]), "MISSING_SESSION_INFO"),
                (code.merging(id).merging(["mfaPendingCredential": "garbage"]), "INVALID_MFA_PENDING_CREDENTIAL"),
                (code.merging(held), "MISSING_MFA_ENROLLMENT_ID : No second factor identifier is provided."),
                (code.merging(held).merging(["mfaEnrollmentId": "nobody"]), "MFA_ENROLLMENT_NOT_FOUND"),
                (code.merging(held).merging(id), "INVALID_CODE"),
            ] as [(JSONValue, String)] {
                #expect(try await server.callV2("mfaSignIn:finalize", body).errorMessage == message)
            }
            // The credential gives no other access.
            #expect(try await server.call("lookup", ["idToken": .string(credential)]).errorMessage == "INVALID_ID_TOKEN")
            #expect(try await server.refresh(credential).errorMessage == "INVALID_REFRESH_TOKEN")
            #expect(try await server.call("update", ["oobCode": .string(credential)]).errorMessage == "INVALID_OOB_CODE")
            let link = try await server.call(
                "signInWithIdp",
                ["requestUri": "http://localhost", "pendingToken": .string(credential)]
            )
            #expect(link.errorMessage == "INVALID_PENDING_TOKEN")
            // It does not work in another tenant, after its expiry, or after a new password either.
            let foreign = code.merging(held).merging(id).merging(["tenantId": "closed"])
            let elsewhere = try await server.callV2("mfaSignIn:finalize", foreign)
            #expect(elsewhere.errorMessage == "OPERATION_NOT_ALLOWED : TOTP based MFA not enabled.")
            let reset = try await server.code("PASSWORD_RESET", ["email": "a@b.c"])
            let changed = try await server.call("resetPassword", ["oobCode": .string(reset), "newPassword": "secret-2"])
            #expect(changed.status == 200)
            #expect(try await server.show(enrolled, pending).errorMessage == "INVALID_MFA_PENDING_CREDENTIAL")
            // LNK-10: after the reset the factor is still required.
            let fresh = try await server.signIn("a@b.c", password: "secret-2")
            #expect(fresh["mfaPendingCredential"] != nil)
            server.clock.advance(by: .seconds(301))
            #expect(try await server.show(enrolled, fresh).errorMessage == "INVALID_MFA_PENDING_CREDENTIAL")
        }
    }
}
