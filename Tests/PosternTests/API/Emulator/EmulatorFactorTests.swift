import Project
import TestKit
import Testing

@Suite("Second factors as the emulator has them", .teardown, .timeLimit(.minutes(15)))
struct EmulatorFactorTests {
    @Test("are written by clients that sign up, with ids of the server's own and each number once")
    func signUp() async throws {
        let factors: JSONValue = [
            "mfaInfo": [
                ["displayName": "Cell", "phoneInfo": "+15555550100", "mfaEnrollmentId": "mine"],
                ["phoneInfo": "+15555550100"], ["phoneInfo": "+15555550111"],
            ]
        ]
        try await TestServer.running(mode: .development) { server in
            let credentials: JSONValue = ["email": "a@b.c", "password": "secret-1"]
            for bad in [["phoneInfo": "5555550100"], ["displayName": "Cell"]] as [JSONValue] {
                let refused = try await server.call("signUp", credentials.merging(["mfaInfo": [bad]]))
                #expect(refused.errorMessage == "INVALID_MFA_PHONE_NUMBER : Invalid format.")
            }
            let user = try server.session(try await server.call("signUp", credentials.merging(factors)))
            let stored = try #require(try await server.account(user)["mfaInfo"]?.array)
            #expect(stored.map { $0["phoneInfo"]?.string } == ["+15555550100", "+15555550111"])
            #expect(stored.map { $0["displayName"]?.string } == ["Cell", nil])
            #expect(stored.allSatisfy { $0["mfaEnrollmentId"]?.string?.wholeMatch(of: /[A-Za-z0-9]{28}/) != nil })
            #expect(try await server.signIn("a@b.c")["mfaPendingCredential"] != nil)
            let anonymous = try server.session(try await server.call("signUp", factors))
            #expect(try await server.account(anonymous)["mfaInfo"]?.array?.count == 2)
            let linked: JSONValue = ["email": "b@b.c", "password": "secret-1", "idToken": .string(anonymous.idToken)]
            let upgraded = try server.session(try await server.call("signUp", linked))
            #expect(try await server.account(upgraded)["mfaInfo"]?.array?.count == 2)
        }
        let server = try await TestServer.start(project: TestServer.factorProject)
        let user = try await server.call("signUp", factors.merging(["email": "a@b.c", "password": "secret-1"]))
        #expect(try await server.account(try server.session(user))["mfaInfo"] == nil)
    }

    @Test("refuse what is no pending credential in the emulator's words")
    func pendingCredential() async throws {
        let server = try await TestServer.start(mode: .development)
        let body: JSONValue = ["mfaPendingCredential": "garbage", "mfaEnrollmentId": "e", "phoneSignInInfo": [:]]
        let refused = try await server.callV2("mfaSignIn:start", body)
        #expect(refused.errorMessage == "((Invalid phoneVerificationInfo.mfaPendingCredential.))")
    }

    @Test("leave an empty list behind when the last is withdrawn, in development alone")
    func emptyList() async throws {
        for mode in [ServerMode.development, .production] {
            let server = try await TestServer.start(mode: mode, project: mode == .production ? TestServer.factorProject : nil)
            let enrolled = try await server.enrollApp(try await server.verifiedUser("a@b.c"))
            let withdrawn = try await server.callV2(
                "mfaEnrollment:withdraw",
                ["idToken": .string(enrolled.session.idToken), "mfaEnrollmentId": .string(enrolled.enrollmentID)]
            )
            let lookup = try await server.call("lookup", ["idToken": withdrawn["idToken"] ?? .null])
            #expect(lookup["users"]?[0]?["mfaInfo"] == (mode == .development ? [] : nil))
            let token = withdrawn["idToken"] ?? .null
            #expect(try await server.call("update", ["idToken": token, "displayName": "Ada"]).status == 200)
            let again = try await server.call("lookup", ["idToken": token])
            #expect(again["users"]?[0]?["mfaInfo"] == (mode == .development ? [] : nil))
            guard mode == .development else { return }
            #expect(try await server.call("update", ["idToken": token, "mfa": [:]]).status == 200)
            #expect(try await server.call("lookup", ["idToken": token])["users"]?[0]?["mfaInfo"] == nil)
        }
    }

    @Test("know no proof of Android's; production takes the code beside one")
    func androidProof() async throws {
        for mode in [ServerMode.development, .production] {
            let server = try await TestServer.start(mode: mode, project: mode == .production ? TestServer.factorProject : nil)
            let user = try await server.verifiedUser("a@b.c")
            func finalize(_ info: JSONValue, _ token: String?) async throws -> TestClient.Answer {
                try await server.callV2(
                    "mfaEnrollment:finalize",
                    [
                        "idToken": token.map { .string($0) } ?? .null,
                        "phoneVerificationInfo": info.merging(["androidVerificationProof": "x"]),
                    ]
                )
            }
            #expect(try await finalize([:], nil).errorMessage == "MISSING_ID_TOKEN")
            let answer = try await finalize(["code": "123456", "sessionInfo": "x"], user.idToken)
            if mode == .development {
                #expect(answer.status == 501)
                #expect(answer["error"]?["status"] == "NOT_IMPLEMENTED")
            } else {
                #expect(answer.errorMessage == "INVALID_SESSION_INFO")
            }
        }
    }
}
