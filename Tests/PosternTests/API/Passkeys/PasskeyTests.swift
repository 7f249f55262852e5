import Crypto
import CryptoExtras
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("A passkey", .timeLimit(.minutes(15)))
struct PasskeyTests {
    static let origin = "https://app.example.com"
    private static let rpID = "example.com"
    private static let environment = TestServer.cheapPasswords.merging(
        [
            "POSTERN_SERVER_PUBLIC_URL": "https://auth.example.com", "POSTERN_PASSKEYS_RP_ID": rpID,
            "POSTERN_PASSKEYS_ORIGINS": "\(origin),android:apk-key-hash:abc",
        ]
    ) { $1 }

    var ceremony: SoftwareAuthenticator.Ceremony {
        SoftwareAuthenticator.Ceremony(origin: Self.origin, relyingPartyID: Self.rpID)
    }

    func running(
        on engine: TestServer.Engine = .sqlite,
        _ body: (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.running(
            environment: Self.environment,
            project: TestServer.factorProject,
            on: engine,
            body
        )
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
        return try await finish(
            server,
            session,
            try authenticator.register(challenge, ceremony ?? self.ceremony),
            name: name
        )
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

    @Test("is registered, shown, signs in without a password, and is removed", arguments: TestServer.Engine.allCases)
    func lifecycle(engine: TestServer.Engine) async throws {
        try await running(on: engine) { server in
            let user = try await server.signUp("a@b.c")
            let started = try await server.callV2("passkeyEnrollment:start", ["idToken": .string(user.idToken)])
            let options = try #require(started["credentialCreationOptions"])
            #expect(options["rp"] == ["name": "demo-test", "id": .string(Self.rpID)])
            #expect(options["user"]?["name"] == "a@b.c")
            #expect(options["user"]?["displayName"] == "User")
            #expect(options["user"]?["id"] == .string(Data(user.localID.utf8).base64EncodedString()))
            #expect(
                options["pubKeyCredParams"] == [["type": "public-key", "alg": -7], ["type": "public-key", "alg": -257]]
            )
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
                account["passkeyInfo"] == [
                    ["credentialId": ids[0], "name": "none"], ["credentialId": ids[1], "name": "packed"],
                ]
            )
            #expect(account["lastLoginAt"] == .string(String(server.clock.now.milliseconds)))
            let removed = try await server.call(
                "update",
                ["idToken": .string(user.idToken), "deletePasskey": [ids[0], "not.mine"]]
            )
            #expect(removed.status == 200)
            #expect(try await server.account(user)["passkeyInfo"]?.array?.count == 1)
            #expect(try await server.call("delete", ["idToken": .string(user.idToken)]).status == 200)
            let left = try await server.core.database.read { try $0.query("SELECT 1 AS one FROM passkeys").count }
            #expect(left == 0)
        }
    }

    @Test("needs the second factor of an account that has one before it is added, and none afterwards (MFA-02)")
    func besideSecondFactors() async throws {
        try await running { server in
            let user = try await server.verifiedUser("a@b.c")
            let enrolled = try await server.enrollApp(user)
            let refused = try await server.callV2("passkeyEnrollment:start", ["idToken": .string(user.idToken)])
            #expect(refused.errorMessage == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
            let authenticator = SoftwareAuthenticator()
            let added = try await register(server, enrolled.session, authenticator)
            let claims = try server.payload(try #require(added["idToken"]?.string))
            #expect(claims["firebase"]?["second_factor_identifier"] == .string(enrolled.enrollmentID))
            #expect(try await signIn(server, authenticator)["idToken"] != nil)
        }
    }

    @Test("that was planted before the address was proven goes with everything else", arguments: ["provider", "link", "reset"])
    func planted(way: String) async throws {
        try await running { server in
            let planted = try await server.signUp("victim@b.c")
            let authenticator = SoftwareAuthenticator()
            #expect(try await register(server, planted, authenticator).status == 200)
            switch way {
            case "provider":
                let token = try server.oidcToken("o", TestServer.email("victim@b.c"))
                #expect(try await server.signIn("oidc.test", token).status == 200)
            case "link":
                let body: JSONValue = ["email": "victim@b.c", "continueUrl": "http://localhost"]
                let code = try await server.code("EMAIL_SIGNIN", body)
                let answer = try await server.call("signInWithEmailLink", ["email": "victim@b.c", "oobCode": .string(code)])
                #expect(answer.status == 200)
            default:
                let code = try await server.code("PASSWORD_RESET", ["email": "victim@b.c"])
                let answer = try await server.call("resetPassword", ["oobCode": .string(code), "newPassword": "secret-2"])
                #expect(answer.status == 200)
            }
            #expect(try await signIn(server, authenticator).errorMessage == "PASSKEY_CREDENTIAL_NOT_FOUND")
        }
    }

    @Test("in development is its id, as in the emulator")
    func development() async throws {
        try await TestServer.running(mode: .development) { server in
            let user = try await server.signUp("a@b.c")
            let started = try await server.callV2("passkeyEnrollment:start", ["idToken": .string(user.idToken)])
            let options = try #require(started["credentialCreationOptions"])
            #expect(options["rp"]?["id"] == "localhost")
            #expect(
                Set((options.object ?? [:]).keys) == ["rp", "user", "challenge", "pubKeyCredParams", "timeout", "attestation"]
            )
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
    }
}
