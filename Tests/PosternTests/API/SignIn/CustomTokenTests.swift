import Accounts
import CryptoExtras
import Foundation
import Project
import Storage
import TestKit
import Testing
import Tokens

@testable import Server

@Suite("Custom tokens", .teardown, .timeLimit(.minutes(15)))
struct CustomTokenTests {
    /// A service account on an application server.
    struct Minter {
        let key: TestKey
        let email: String
        let server: TestServer

        init(_ name: String = "minter", on server: TestServer) async throws {
            let (account, file) = try await Self.registry(of: server).create(name, publicURL: "http://localhost")
            let pem = try #require(file["private_key"]?.string)
            key = .rsa(kid: account.keyID, try _RSA.Signing.PrivateKey(pemRepresentation: pem))
            email = account.email
            self.server = server
        }

        static func registry(of server: TestServer) -> ServiceAccountRegistry {
            ServiceAccountRegistry(
                database: server.core.database,
                environment: server.core.environment,
                projectID: "demo-test",
                actor: "test"
            )
        }

        /// A token as the Admin SDKs mint it, with some claims replaced.
        func token(_ uid: String, _ overrides: JSONValue = [:], header: JSONValue = [:]) throws -> String {
            try key.token(claims: CustomTokenTests.claims(uid, email, server, overrides), header: header)
        }
    }

    static func claims(_ uid: String, _ email: String, _ server: TestServer, _ overrides: JSONValue = [:]) -> JSONValue {
        let now = server.clock.now.seconds
        let standard: JSONValue = [
            "iss": .string(email), "sub": .string(email), "aud": .string(CustomToken.audience), "iat": .integer(now),
            "exp": .integer(now + 3600), "uid": .string(uid),
        ]
        return standard.merging(overrides)
    }

    func signIn(_ server: TestServer, _ token: String, _ extra: JSONValue = [:]) async throws -> TestClient.Answer {
        let body: JSONValue = ["token": .string(token), "returnSecureToken": true]
        return try await server.call("signInWithCustomToken", body.merging(extra))
    }

    func payload(_ answer: TestClient.Answer, _ name: String = "idToken") throws -> JSONValue {
        #expect(answer.status == 200, "\(answer.errorMessage ?? "")")
        return try decode(try #require(answer[name]?.string), 1)
    }

    @Test("make their user, sign it in again, and put their claims in every token", arguments: Engine.allCases)
    func signsIn(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let minter = try await Minter(on: server)
        let claims: JSONValue = ["claims": ["premium": true, "level": 3, "name": "Ada", "email": "not@this.one"]]
        let token = try minter.token("user/ü-1", claims)
        let first = try await signIn(server, token)
        #expect(first["kind"] == "identitytoolkit#VerifyCustomTokenResponse")
        #expect(first["isNewUser"] == true)
        #expect(first["expiresIn"] == "3600")
        #expect(first["localId"] == nil)
        let idToken = try payload(first)
        #expect(idToken["sub"] == "user/ü-1")
        #expect(idToken["premium"] == true)
        #expect(idToken["level"] == 3)
        #expect(idToken["name"] == "Ada")
        #expect(idToken["email"] == nil)
        #expect(idToken["firebase"]?["identities"] == [:] && idToken["firebase"]?["sign_in_provider"] == "custom")

        server.clock.advance(by: .seconds(60))
        let refreshed = try await server.refresh(try #require(first["refreshToken"]?.string))
        #expect(try payload(refreshed, "id_token")["premium"] == true)
        #expect(try payload(refreshed, "id_token")["auth_time"] == idToken["auth_time"])

        let second = try await server.client.post(
            "/www.googleapis.com/identitytoolkit/v3/relyingparty/verifyCustomToken?key=\(TestServer.apiKey)",
            ["token": .string(try minter.token("user/ü-1"))]
        )
        #expect(second["isNewUser"] == false)
        #expect(try payload(second)["premium"] == nil)
        let user = try await server.call("lookup", ["idToken": second["idToken"] ?? .null])["users"]?[0]
        #expect(user?["localId"] == "user/ü-1")
        #expect(user?["customAuth"] == true)
    }

    @Test("are refused for the first thing that is wrong with them, in the contract's order")
    func order() async throws {
        let server = try await TestServer.start()
        let minter = try await Minter(on: server)
        let other = try TestKey.rsa(kid: "other")
        let now = server.clock.now.seconds
        // At first everything is wrong. Each step corrects one thing.
        var wrong: JSONValue = [
            "tenant_id": "acme", "aud": "demo-test", "iss": "a@b.iam.gserviceaccount.com", "sub": "c",
            "iat": .integer(now + 120),
            "exp": .integer(now + 9000), "uid": .object([:]), "claims": [1],
        ]
        func expect(_ message: String, by key: TestKey, header: JSONValue = [:]) async throws {
            let claims = Self.claims("u", minter.email, server, wrong)
            let answer = try await signIn(server, try key.token(claims: claims, header: header))
            #expect(answer.status == 400)
            #expect(answer.errorMessage?.hasPrefix(message) == true, "\(message): \(answer.errorMessage ?? "")")
        }
        func right(_ names: String...) { for name in names { wrong[name] = nil } }
        try await expect("TENANT_ID_MISMATCH", by: other)
        right("tenant_id")
        try await expect("INVALID_CUSTOM_TOKEN : The audience", by: other)
        right("aud")
        try await expect("INVALID_CUSTOM_TOKEN : The token must be a JWT signed with RS256", by: other, header: ["typ": "JOSE"])
        try await expect("INVALID_CUSTOM_TOKEN : The issuer", by: other)
        right("sub")
        try await expect("INVALID_CUSTOM_TOKEN : The issuer", by: other)
        wrong["sub"] = wrong["iss"]
        try await expect("CREDENTIAL_MISMATCH", by: other)
        right("iss", "sub")
        try await expect("INVALID_CUSTOM_TOKEN : The signature", by: other)
        try await expect("INVALID_CUSTOM_TOKEN : The issue time", by: minter.key)
        wrong["iat"] = .integer(now + 60)
        try await expect("INVALID_CUSTOM_TOKEN : The expiry", by: minter.key)
        wrong["exp"] = .integer(now + 60 + 3721)
        try await expect("INVALID_CUSTOM_TOKEN : The expiry", by: minter.key)
        wrong["exp"] = .integer(now + 60 + 3720)
        try await expect("MISSING_IDENTIFIER", by: minter.key)
        right("uid")
        try await expect("INVALID_CLAIMS", by: minter.key)
        wrong["claims"] = ["nonce": 1, "aud": "x", "long": .string(String(repeating: "x", count: 1000))]
        try await expect("FORBIDDEN_CLAIM : aud", by: minter.key)
        wrong["claims"] = ["long": .string(String(repeating: "x", count: 1000))]
        try await expect("CLAIMS_TOO_LARGE", by: minter.key)
        wrong["claims"] = ["long": .string(String(repeating: "x", count: 989))]
        #expect(try await signIn(server, try minter.token("u", wrong)).status == 200)
    }

    @Test("are refused without a signature, with a foreign algorithm, after their time, and with ids that no user may have")
    func refusals() async throws {
        let server = try await TestServer.start()
        let minter = try await Minter(on: server)
        func expect(_ message: String, _ token: String, _ location: SourceLocation = #_sourceLocation) async throws {
            let answer = try await signIn(server, token)
            #expect(answer.status == 400, sourceLocation: location)
            #expect(answer.errorMessage?.hasPrefix(message) == true, "\(answer.errorMessage ?? "")", sourceLocation: location)
        }
        try await expect("MISSING_CUSTOM_TOKEN", "")
        for text in ["garbage", "a.b", "{\"uid\":\"u\"}", "a.b.c.d"] {
            try await expect("INVALID_CUSTOM_TOKEN : Invalid assertion format", text)
        }
        let claims = Self.claims("u", minter.email, server)
        let unsigned = TestKey.segments(["alg": "none", "typ": "JWT"], claims) + "."
        try await expect("INVALID_CUSTOM_TOKEN : The token must be", unsigned)
        let elliptic = try TestKey.p256(kid: "k").token(claims: claims)
        try await expect("INVALID_CUSTOM_TOKEN : The token must be", elliptic)
        try await expect("INVALID_CUSTOM_TOKEN : The signature", TestKey.segments(["alg": "RS256", "typ": "JWT"], claims) + ".")
        let unknown: JSONValue = ["iss": "who@example.com", "sub": "who@example.com"]
        try await expect("INVALID_CUSTOM_TOKEN : The signature", try minter.token("u", unknown))

        for (uid, message) in [
            (JSONValue.string(""), "MISSING_IDENTIFIER"), (.null, "MISSING_IDENTIFIER"), (["u"], "MISSING_IDENTIFIER"),
            (.string(String(repeating: "u", count: 129)), "INVALID_CUSTOM_TOKEN : The uid"),
            ("a\u{0}b", "INVALID_CUSTOM_TOKEN : The uid"),
        ] {
            try await expect(message, try minter.token("u", ["uid": uid]))
        }
        try await expect("INVALID_CLAIMS", try minter.token("u", ["claims": .null]))
        for name in CustomClaims.reservedNames {
            try await expect("FORBIDDEN_CLAIM : \(name)", try minter.token("u", ["claims": [name: 1]]))
        }
        let longest = String(repeating: "u", count: 128)
        #expect(try payload(try await signIn(server, try minter.token(longest)))["sub"]?.string == longest)
        let fallback = try await signIn(server, try minter.token("u", ["uid": .null, "user_id": 17]))
        #expect(try payload(fallback)["sub"] == "17")

        let token = try minter.token("u")
        server.clock.advance(by: .seconds(3600 + 59))
        #expect(try await signIn(server, token).status == 200)
        server.clock.advance(by: .seconds(1))
        try await expect("INVALID_CUSTOM_TOKEN : The token has expired", token)
        #expect(!server.log.lines.contains { $0.contains(token) })
    }

    @Test("sign in no disabled user, and leave a record of the refusal")
    func disabledUser() async throws {
        let server = try await TestServer.start()
        let minter = try await Minter(on: server)
        #expect(try await signIn(server, try minter.token("u")).status == 200)
        #expect(try await server.callAsAdmin("update", ["localId": "u", "disableUser": true]).status == 200)
        #expect(try await signIn(server, try minter.token("u")).errorMessage == "USER_DISABLED")
        await server.recordRefusals()
        let refusals = try await server.core.database.read {
            try $0.query("SELECT detail FROM audit_events WHERE event = 'refused'").map { try $0.text("detail") }
        }
        #expect(refusals.count == 1)
        #expect(refusals.first?.contains("USER_DISABLED") == true)
    }

    @Test("are taken at their word in development, as JSON too, but not for another audience")
    func development() async throws {
        let server = try await TestServer.start(mode: .development)
        let admin = "firebase-auth-emulator@example.com"
        let long = String(repeating: "x", count: 2000)
        let claims = Self.claims("u", admin, server, ["exp": 1, "iat": 0, "claims": ["premium": true, "long": .string(long)]])
        let unsigned = TestKey.segments(["alg": "none", "typ": "JWT"], claims) + "."
        let first = try await signIn(server, unsigned)
        #expect(first["isNewUser"] == true)
        #expect(try payload(first)["premium"] == true)
        let signed = try TestKey.p256(kid: "k").token(claims: claims)
        #expect(try await signIn(server, signed)["isNewUser"] == false)
        let json = try await signIn(server, #"{"uid": 1.0, "claims": {"premium": true}}"#)
        #expect(json["isNewUser"] == true)
        #expect(try payload(json)["sub"] == "1")
        let refreshed = try await server.refresh(try #require(json["refreshToken"]?.string))
        #expect(try payload(refreshed, "id_token")["premium"] == true)

        let forTenant = claims.merging(["tenant_id": "t"])
        let tenantToken = TestKey.segments(["alg": "none"], forTenant) + "."
        #expect(try await signIn(server, tenantToken).status == 200)
        #expect(try await signIn(server, tenantToken, ["tenantId": "t"])["isNewUser"] == true)
        #expect(try await signIn(server, unsigned, ["tenantId": "t"]).errorMessage == "TENANT_ID_MISMATCH")

        let foreign = TestKey.segments(["alg": "none"], claims.merging(["aud": "demo-test", "uid": .null])) + "."
        for (token, message) in [
            ("", "MISSING_CUSTOM_TOKEN"), ("garbage", "INVALID_CUSTOM_TOKEN : Invalid assertion format"),
            ("{uid: 1}", "INVALID_CUSTOM_TOKEN : (("),
            (foreign, "INVALID_CUSTOM_TOKEN : ((Invalid aud (audience): demo-test"),
            ("{}", "MISSING_IDENTIFIER"), (#"{"uid":{}}"#, "MISSING_IDENTIFIER"),
            (#"{"uid":"u","claims":"premium"}"#, "INVALID_CLAIMS"), (#"{"uid":"u","claims":null}"#, "INVALID_CLAIMS"),
            (#"{"uid":"u","claims":{"firebase":{}}}"#, "FORBIDDEN_CLAIM : firebase"),
        ] {
            let answer = try await signIn(server, token)
            #expect(answer.status == 400)
            #expect(answer.errorMessage?.hasPrefix(message) == true, "\(token): \(answer.errorMessage ?? "")")
        }
    }
}
