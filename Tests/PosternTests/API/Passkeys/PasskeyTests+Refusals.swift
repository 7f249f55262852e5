import Crypto
import CryptoExtras
import Foundation
import Project
import Storage
import TestKit
import Testing

extension PasskeyTests {
    @Test("is refused at registration when anything of it is wrong (PKY-01 to PKY-05)")
    func registrationRefusals() async throws {
        try await running { server in
            let user = try await server.signUp("a@b.c")
            let other = try await server.signUp("b@b.c")
            let authenticator = SoftwareAuthenticator()
            var changes: [(inout SoftwareAuthenticator.Ceremony) -> Void] = [
                { $0.origin = "https://evil.example" }, { $0.origin = "http://app.example.com" },
                { $0.origin = "https://x.app.example.com" }, { $0.origin = "https://app.example.com:8443" },
                { $0.origin = "android:apk-key-hash:other" }, { $0.relyingPartyID = "evil.example" },
                { $0.crossOrigin = true }, { $0.topOrigin = "https://evil.example" }, { $0.type = "webauthn.get" },
                { $0.flags = 0x01 }, { $0.flags = 0x04 }, { $0.flags = 0x15 }, { $0.rawID = "AAAA" }, { $0.format = "tpm" },
                { $0.attestationObject = [0xA0] }, { $0.attestationObject = [UInt8](repeating: 0x81, count: 5000) },
            ]
            changes.append {
                $0.format = "packed"
                $0.damagesSignature = true
            }
            // EdDSA, and a key with trailing bytes.
            changes.append { $0.publicKey = [0xA2, 0x01, 0x01, 0x03, 0x27] }
            let padded = authenticator.coseKey + [0]
            changes.append { $0.publicKey = padded }
            for (index, change) in changes.enumerated() {
                var ceremony = ceremony
                change(&ceremony)
                let answer = try await register(server, user, authenticator, ceremony)
                #expect(answer.errorMessage?.hasPrefix("INVALID_AUTHENTICATOR_RESPONSE") == true, "change \(index)")
            }
            // Challenges: an unknown one, another user's, a sign-in's, an expired one, a used one.
            let foreign = try await registrationChallenge(server, other)
            for challenge in ["AAAA", foreign, try await signInChallenge(server)] {
                let answer = try await finish(server, user, try authenticator.register(challenge, ceremony))
                #expect(answer.errorMessage?.hasPrefix("INVALID_AUTHENTICATOR_RESPONSE") == true)
            }
            let used = try await registrationChallenge(server, user)
            let first = try await finish(server, user, try authenticator.register(used, ceremony))
            #expect(first.status == 200, "\(first.errorMessage ?? "")")
            let second = try await finish(server, user, try SoftwareAuthenticator().register(used, ceremony))
            #expect(second.errorMessage == "INVALID_AUTHENTICATOR_RESPONSE : The challenge was used before.")
            #expect(try await register(server, other, authenticator).errorMessage == "CREDENTIAL_ALREADY_IN_USE")
            for (body, message) in [
                ([:], "MISSING_ID_TOKEN"), (["idToken": "x"], "MISSING_AUTHENTICATOR_RESPONSE"),
                (["idToken": "x", "authenticatorRegistrationResponse": [:]], "INVALID_ID_TOKEN"),
                (["idToken": .string(user.idToken), "authenticatorRegistrationResponse": [:]], "INVALID_CREDENTIAL_ID"),
            ] as [(JSONValue, String)] {
                #expect(try await server.callV2("passkeyEnrollment:finalize", body).errorMessage == message)
            }
            let expiring = try await registrationChallenge(server, user)
            server.clock.advance(by: .seconds(300))
            let late = try await finish(server, user, try SoftwareAuthenticator().register(expiring, ceremony))
            #expect(late.errorMessage?.hasPrefix("INVALID_AUTHENTICATOR_RESPONSE") == true)
            server.clock.advance(by: .seconds(10))
            let stale = try await server.callV2("passkeyEnrollment:start", ["idToken": .string(user.idToken)])
            #expect(stale.errorMessage == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
        }
    }

    @Test("is refused at sign-in when anything of it is wrong (PKY-01 to PKY-06)", arguments: TestServer.Engine.allCases)
    func signInRefusals(engine: TestServer.Engine) async throws {
        try await running(on: engine) { server in
            let user = try await server.signUp("a@b.c")
            let authenticator = SoftwareAuthenticator()
            var counted = ceremony
            counted.signCount = 7
            #expect(try await register(server, user, authenticator, counted).status == 200)
            let changes: [(inout SoftwareAuthenticator.Ceremony) -> Void] = [
                { $0.origin = "https://evil.example" }, { $0.relyingPartyID = "evil.example" }, { $0.crossOrigin = true },
                { $0.type = "webauthn.create" }, { $0.flags = 0x01 }, { $0.flags = 0x04 }, { $0.rawID = "AAAA" },
                { $0.damagesSignature = true }, { $0.userHandle = "somebody else" }, { $0.signCount = 7 },
                { $0.signCount = 6 }, { $0.signCount = 0 },
            ]
            for (index, change) in changes.enumerated() {
                let answer = try await signIn(server, authenticator) {
                    $0.signCount = 8
                    change(&$0)
                }
                #expect(answer.errorMessage?.hasPrefix("INVALID_AUTHENTICATOR_RESPONSE") == true, "change \(index)")
            }
            // The right id with another key, an unknown id, no id.
            let impostor = SoftwareAuthenticator(credentialID: authenticator.credentialID)
            let forged = try await signIn(server, impostor) { $0.signCount = 8 }
            #expect(forged.errorMessage == "INVALID_AUTHENTICATOR_RESPONSE : The signature is wrong.")
            #expect(try await signIn(server, SoftwareAuthenticator()).errorMessage == "PASSKEY_CREDENTIAL_NOT_FOUND")
            let finalize = "passkeySignIn:finalize"
            #expect(try await server.callV2(finalize, [:]).errorMessage == "MISSING_AUTHENTICATOR_RESPONSE")
            #expect(try await present(server, [:]).errorMessage == "INVALID_CREDENTIAL_ID")
            // Many sign-ins with one challenge at once get one session.
            let challenge = try await signInChallenge(server)
            let answers = try await withThrowingTaskGroup(of: TestClient.Answer.self) { tasks in
                for number in 0..<6 {
                    var ceremony = ceremony
                    ceremony.signCount = 10 + UInt32(number)
                    let response = try authenticator.assert(challenge, ceremony)
                    tasks.addTask { try await present(server, response) }
                }
                return try await tasks.reduce(into: [TestClient.Answer]()) { $0.append($1) }
            }
            #expect(answers.count { $0.status == 200 } == 1)
            // A challenge of registration, and one that has expired.
            let registering = try await registrationChallenge(server, user)
            var later = ceremony
            later.signCount = 100
            let crossed = try await present(server, try authenticator.assert(registering, later))
            #expect(crossed.errorMessage?.hasPrefix("INVALID_AUTHENTICATOR_RESPONSE") == true)
            let expiring = try await signInChallenge(server)
            server.clock.advance(by: .seconds(300))
            let late = try await present(server, try authenticator.assert(expiring, later))
            #expect(late.errorMessage?.hasPrefix("INVALID_AUTHENTICATOR_RESPONSE") == true)
            #expect(try await signIn(server, authenticator) { $0.signCount = 100 }.status == 200)
            let disable: JSONValue = ["localId": .string(user.localID), "disableUser": true]
            #expect(try await server.callAsAdmin("update", disable).status == 200)
            #expect(try await signIn(server, authenticator) { $0.signCount = 101 }.errorMessage == "USER_DISABLED")
        }
    }
}
