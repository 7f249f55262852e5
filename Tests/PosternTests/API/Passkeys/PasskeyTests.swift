import Crypto
import CryptoExtras
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("A passkey", .teardown, .timeLimit(.minutes(15)))
struct PasskeyTests {
    static let origin = "https://app.example.com"
    private static let rpID = "example.com"
    private static let environment = [
        "POSTERN_SERVER_PUBLIC_URL": "https://auth.example.com", "POSTERN_PASSKEYS_RP_ID": rpID,
        "POSTERN_PASSKEYS_ORIGINS": "\(origin),android:apk-key-hash:abc",
    ]

    var ceremony: SoftwareAuthenticator.Ceremony {
        SoftwareAuthenticator.Ceremony(origin: Self.origin, relyingPartyID: Self.rpID)
    }

    func start(on engine: Engine = .sqlite) async throws -> TestServer {
        try await TestServer.start(environment: Self.environment, project: TestServer.factorProject, on: engine)
    }

    func registrationChallenge(_ server: TestServer, _ session: TestServer.Session) async throws -> String {
        let started = try await server.callV2("passkeyEnrollment:start", ["idToken": .string(session.idToken)])
        let options = try #require(started["credentialCreationOptions"], "\(started.errorMessage ?? "")")
        return try #require(options["challenge"]?.string)
    }

    func finish(
        _ server: TestServer,
        _ session: TestServer.Session,
        _ response: JSONValue,
        name: String? = nil
    ) async throws -> TestClient.Answer {
        var body: JSONValue = ["idToken": .string(session.idToken), "authenticatorRegistrationResponse": response]
        body["name"] = name.map { .string($0) }
        return try await server.callV2("passkeyEnrollment:finalize", body)
    }

    func register(
        _ server: TestServer,
        _ session: TestServer.Session,
        _ authenticator: SoftwareAuthenticator,
        _ ceremony: SoftwareAuthenticator.Ceremony? = nil,
        name: String? = nil
    ) async throws -> TestClient.Answer {
        let challenge = try await registrationChallenge(server, session)
        return try await finish(server, session, try authenticator.register(challenge, ceremony ?? self.ceremony), name: name)
    }

    func signInChallenge(_ server: TestServer) async throws -> String {
        let started = try await server.callV2("passkeySignIn:start", [:])
        return try #require(started["credentialRequestOptions"]?["challenge"]?.string)
    }

    func present(_ server: TestServer, _ response: JSONValue) async throws -> TestClient.Answer {
        try await server.callV2("passkeySignIn:finalize", ["authenticatorAuthenticationResponse": response])
    }

    func signIn(
        _ server: TestServer,
        _ authenticator: SoftwareAuthenticator,
        _ change: (inout SoftwareAuthenticator.Ceremony) -> Void = { _ in }
    ) async throws -> TestClient.Answer {
        var ceremony = ceremony
        change(&ceremony)
        return try await present(server, try authenticator.assert(try await signInChallenge(server), ceremony))
    }

    @Test("is registered, shown, signs in without a password, and is removed", arguments: Engine.allCases)
    func lifecycle(engine: Engine) async throws {
        let server = try await start(on: engine)
        let user = try await server.signUp("a@b.c")
        let started = try await server.callV2("passkeyEnrollment:start", user.token)
        let options = try #require(started["credentialCreationOptions"])
        #expect(options["rp"] == ["name": "demo-test", "id": .string(Self.rpID)])
        #expect(options["user"]?["name"] == "a@b.c")
        #expect(options["user"]?["displayName"] == "User")
        #expect(options["user"]?["id"] == .string(Data(user.localID.utf8).base64EncodedString()))
        #expect(options["pubKeyCredParams"] == [["type": "public-key", "alg": -7], ["type": "public-key", "alg": -257]])
        #expect(options["timeout"] == 60_000)
        #expect(options["attestation"] == "none")

        let keys: [SoftwareAuthenticator.Key] = [
            .es256(P256.Signing.PrivateKey()), .rs256(try _RSA.Signing.PrivateKey(keySize: .bits2048)),
        ]
        var ids: [JSONValue] = []
        for (key, format) in zip(keys, ["none", "packed"]) {
            let authenticator = SoftwareAuthenticator(key)
            var ceremony = ceremony
            ceremony.format = format
            let done = try await register(server, user, authenticator, ceremony, name: format)
            #expect(done.status == 200, "\(done.errorMessage ?? "")")
            #expect(Set((done.json.object ?? [:]).keys) == ["localId", "idToken", "refreshToken"])
            let claims = try server.payload(try #require(done["idToken"]?.string))
            #expect(claims["firebase"]?["sign_in_provider"] == "passkey")
            server.clock.advance(by: .seconds(1))
            let session = try await signIn(server, authenticator) { $0.userHandle = user.localID }
            #expect(Set((session.json.object ?? [:]).keys) == ["idToken", "refreshToken"])
            let idToken = try #require(session["idToken"]?.string, "\(session.errorMessage ?? "")")
            #expect(try server.payload(idToken)["sub"] == .string(user.localID))
            #expect(try server.payload(idToken)["firebase"]?["sign_in_provider"] == "passkey")
            ids.append(.string(authenticator.id))
        }
        let account = try await server.account(user)
        #expect(
            account["passkeyInfo"] == [["credentialId": ids[0], "name": "none"], ["credentialId": ids[1], "name": "packed"]]
        )
        #expect(account["lastLoginAt"] == .string(String(server.clock.now.milliseconds)))
        let removed = try await server.call("update", ["idToken": .string(user.idToken), "deletePasskey": [ids[0], "not.mine"]])
        #expect(removed.status == 200)
        #expect(try await server.account(user)["passkeyInfo"]?.array?.count == 1)
        #expect(try await server.call("delete", user.token).status == 200)
        let left = try await server.core.database.read { try $0.query("SELECT 1 AS one FROM passkeys").count }
        #expect(left == 0)
    }

    @Test("needs the second factor of an account that has one before it is added, and none afterwards (MFA-02)")
    func besideSecondFactors() async throws {
        let server = try await start()
        let user = try await server.verifiedUser("a@b.c")
        let enrolled = try await server.enrollApp(user)
        let refused = try await server.callV2("passkeyEnrollment:start", user.token)
        #expect(refused.errorMessage == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
        let authenticator = SoftwareAuthenticator()
        let added = try await register(server, enrolled.session, authenticator)
        let claims = try server.payload(try #require(added["idToken"]?.string))
        #expect(claims["firebase"]?["second_factor_identifier"] == .string(enrolled.enrollmentID))
        #expect(try await signIn(server, authenticator)["idToken"] != nil)
    }

    @Test("that was planted before the address was proven goes with everything else", arguments: ["provider", "link", "reset"])
    func planted(way: String) async throws {
        let server = try await start()
        let planted = try await server.signUp("victim@b.c")
        let authenticator = SoftwareAuthenticator()
        #expect(try await register(server, planted, authenticator).status == 200)
        switch way {
        case "provider":
            let token = try server.oidcToken("o", TestServer.email("victim@b.c"))
            #expect(try await server.signIn("oidc.test", token).status == 200)
        case "link":
            let code = try await server.code("EMAIL_SIGNIN", ["email": "victim@b.c", "continueUrl": "http://localhost"])
            let answer = try await server.call("signInWithEmailLink", ["email": "victim@b.c", "oobCode": .string(code)])
            #expect(answer.status == 200)
        default:
            let code = try await server.code("PASSWORD_RESET", ["email": "victim@b.c"])
            let answer = try await server.call("resetPassword", ["oobCode": .string(code), "newPassword": "secret-2"])
            #expect(answer.status == 200)
        }
        #expect(try await signIn(server, authenticator).errorMessage == "PASSKEY_CREDENTIAL_NOT_FOUND")
    }

    @Test("in development is its id, as in the emulator")
    func development() async throws {
        let server = try await TestServer.start(mode: .development)
        let user = try await server.signUp("a@b.c")
        let started = try await server.callV2("passkeyEnrollment:start", user.token)
        let options = try #require(started["credentialCreationOptions"])
        #expect(options["rp"]?["id"] == "localhost")
        #expect(Set((options.object ?? [:]).keys) == ["rp", "user", "challenge", "pubKeyCredParams", "timeout", "attestation"])
        #expect(try await finish(server, user, ["id": "any id"]).status == 200)
        #expect(try await finish(server, user, ["id": "any id"]).errorMessage == "CREDENTIAL_ALREADY_IN_USE")
        #expect(try await finish(server, user, [:]).errorMessage == "INVALID_CREDENTIAL_ID")
        let info = try await server.account(user)["passkeyInfo"]
        #expect(info == [["credentialId": "any id", "name": "Unnamed Passkey"]])
        let request = try await server.callV2("passkeySignIn:start", ["sessionId": "x"])
        #expect(request["credentialRequestOptions"]?["rpId"] == "localhost")
        #expect(request["credentialRequestOptions"]?["userVerification"] == "required")
        #expect(try await present(server, ["id": "any id"])["idToken"] != nil)
        #expect(try await present(server, ["id": "other"]).errorMessage == "PASSKEY_CREDENTIAL_NOT_FOUND")
    }

    @Test("is refused at registration when anything of it is wrong (PKY-01 to PKY-05)")
    func registrationRefusals() async throws {
        let server = try await start()
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
        let stale = try await server.callV2("passkeyEnrollment:start", user.token)
        #expect(stale.errorMessage == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    }

    @Test("is refused at sign-in when anything of it is wrong (PKY-01 to PKY-06)", arguments: Engine.allCases)
    func signInRefusals(engine: Engine) async throws {
        let server = try await start(on: engine)
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
        #expect(try await server.callAsAdmin("update", ["localId": .string(user.localID), "disableUser": true]).status == 200)
        #expect(try await signIn(server, authenticator) { $0.signCount = 101 }.errorMessage == "USER_DISABLED")
    }
}
