import Crypto
import Foundation
import JWTKit
import Project
import TestKit
import Testing
import X509

@Suite("A client signs in with a provider's ID token", .teardown, .timeLimit(.minutes(15)))
struct SignInTests {
    @Test("and gets an account, a session, and the provider's profile", arguments: Engine.allCases)
    func firstSignIn(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let profile: JSONValue = ["name": "Ada Lovelace", "picture": "https://x.example/ada.png", "locale": "en-GB"]
        let token = try server.oidcToken("user-1", profile.merging(TestServer.email("Ada@Example.com")))
        let answer = try await server.signIn("oidc.test", token)
        let session = try server.session(answer)
        #expect(answer["kind"] == "identitytoolkit#VerifyAssertionResponse")
        #expect(answer["isNewUser"] == true)
        #expect(answer["providerId"] == "oidc.test")
        #expect(answer["federatedId"] == "user-1")
        #expect(answer["email"] == "ada@example.com")
        #expect(answer["emailVerified"] == true)
        #expect(answer["displayName"] == "Ada Lovelace")
        #expect(answer["expiresIn"] == "3600")
        #expect(answer["oauthIdToken"]?.string == token)
        #expect(answer["needConfirmation"] == nil)
        #expect(answer["errorMessage"] == nil)
        let raw = try JSONValue.parse(try #require(answer["rawUserInfo"]?.string).utf8)
        #expect(raw["name"] == "Ada Lovelace")
        let account = try await server.account(session)
        #expect(account["localId"]?.string == session.localID)
        #expect(account["localId"]?.string?.count == 28)
        #expect(account["email"] == "ada@example.com")
        #expect(account["emailVerified"] == true)
        #expect(account["displayName"] == "Ada Lovelace")
        #expect(account["photoUrl"] == "https://x.example/ada.png")
        #expect(account["createdAt"]?.string == String(server.clock.now.milliseconds))
        #expect(account["lastLoginAt"]?.string == String(server.clock.now.milliseconds))
        #expect(account["lastRefreshAt"]?.string == server.clock.now.rfc3339)
        #expect(account["providerUserInfo"]?.array?.count == 1)
        #expect(account["providerUserInfo"]?[0]?["rawId"] == "user-1")
    }

    @Test("and of Google's the profile names the scopes that it speaks of")
    func grantedScopes() async throws {
        let server = try await TestServer.start()
        let scope = "https://www.googleapis.com/auth/userinfo."
        for (extra, scopes) in [
            (TestServer.email("a@gmail.com"), "openid \(scope)profile \(scope)email"), ([:], "openid \(scope)profile"),
        ] {
            let answer = try await server.signIn("google.com", try server.googleToken(scopes, extra))
            let raw = try JSONValue.parse(try #require(answer["rawUserInfo"]?.string).utf8)
            #expect(raw["granted_scopes"]?.string == scopes)
        }
    }

    @Test("and a parameter that nobody knows is ignored, in an encoded form and in a raw one")
    func unknownParameters() async throws {
        for mode in [ServerMode.production, .development] {
            let server = try await TestServer.start(mode: mode)
            let token = try server.oidcToken()
            for body in ["id_token=\(token)&providerId=oidc.test&foo=bar&", "foo=a%20b&id_token=\(token)&providerId=OIDC.test&"] {
                let call: JSONValue = ["requestUri": "http://localhost", "postBody": .string(body)]
                #expect(try await server.call("signInWithIdp", call)["providerId"] == "oidc.test")
            }
            let odd = try await server.signIn("oidc.test&foo", token)
            #expect(odd.errorMessage == "INVALID_PROVIDER_ID")
        }
    }

    @Test("and comes back to the same account, with a new auth_time", arguments: Engine.allCases)
    func secondSignIn(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let first = try server.session(try await server.signIn("oidc.test", try server.oidcToken()))
        server.clock.advance(by: .seconds(90))
        let answer = try await server.signIn("oidc.test", try server.oidcToken())
        let second = try server.session(answer)
        #expect(second.localID == first.localID)
        #expect(answer["isNewUser"] == false)
        #expect(second.refreshToken != first.refreshToken)
        #expect(try payload(second)["auth_time"]!.integer! - payload(first)["auth_time"]!.integer! == 90)
    }

    @Test("and the tokens verify with another library, from the key set and from the certificates", arguments: Engine.allCases)
    func tokensVerify(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let session = try server.session(
            try await server.signIn("oidc.test", try server.oidcToken("u", TestServer.email("a@b.c")))
        )
        let discovery = try await server.client.get("/.well-known/openid-configuration")
        #expect(discovery["issuer"] == "https://securetoken.google.com/demo-test")
        let keySet = try await server.client.get(try #require(discovery["jwks_uri"]?.string))
        #expect(keySet.header("Cache-Control")?.contains("max-age=") == true)
        let keys = try await JWTKeyCollection().add(jwksJSON: String(decoding: keySet.bytes, as: UTF8.self))
        let claims = try await keys.verify(session.idToken, as: FirebaseClaims.self)
        #expect(claims.iss == "https://securetoken.google.com/demo-test")
        #expect(claims.aud == "demo-test")
        #expect(claims.sub == session.localID)
        #expect(claims.user_id == session.localID)
        #expect(claims.exp - claims.iat == 3600)
        #expect(claims.email == "a@b.c")
        #expect(claims.email_verified)
        #expect(claims.firebase.sign_in_provider == "oidc.test")
        #expect(claims.firebase.identities == ["oidc.test": ["u"], "email": ["a@b.c"]])

        let path = "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com"
        for prefix in ["", "/www.googleapis.com"] {
            let certificates = try await server.client.get(prefix + path)
            let kid = try #require(header(session)["kid"]?.string)
            let key = try Insecure.RSA.PublicKey(certificatePEM: try #require(certificates[kid]?.string))
            let verifier = await JWTKeyCollection().add(rsa: key, digestAlgorithm: .sha256)
            #expect(try await verifier.verify(session.idToken, as: FirebaseClaims.self).sub == session.localID)
        }
    }

    @Test(
        "of Apple: bundle ids and Services ID, hashed nonce, name from the first authorization only",
        arguments: Engine.allCases
    )
    func apple(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let nonce: JSONValue = ["nonce": .string(hexadecimal(sha256("raw".utf8)))]
        let email: JSONValue = ["email": "ada@privaterelay.appleid.com", "email_verified": "true", "is_private_email": "true"]
        let user = #"{"name":{"firstName":"Ada","lastName":"Lovelace"},"email":"victim@example.com"}"#
        let token = try server.appleToken("a-1", nonce.merging(email))
        let answer = try await server.signIn("apple.com", token, nonce: "raw", form: [("user", user)])
        let session = try server.session(answer)
        #expect(answer["email"] == "ada@privaterelay.appleid.com")
        #expect(answer["emailVerified"] == true)
        #expect(answer["displayName"] == "Ada Lovelace")
        #expect(answer["nonce"] == "raw")
        #expect(answer["photoUrl"] == nil)
        #expect(try await server.account(session)["displayName"] == "Ada Lovelace")

        for audience in ["com.example.two", "com.example.web"] {
            let again = try server.appleToken("a-1", email.merging(["aud": .string(audience)]))
            let next = try server.session(try await server.signIn("apple.com", again))
            #expect(next.localID == session.localID)
            let account = try await server.account(next)
            #expect(account["displayName"] == "Ada Lovelace")
            #expect(account["providerUserInfo"]?[0]?["displayName"] == "Ada Lovelace")
        }
    }

    @Test(
        "of Apple: an e-mail counts as verified for true and \"true\" only",
        arguments: [
            (true, true), ("true", true), (false, false), ("false", false), (1, false), ("yes", false), (.null, false),
        ] as [(JSONValue, Bool)]
    )
    func appleEmailVerified(claim: JSONValue, expected: Bool) async throws {
        let server = try await TestServer.start()
        let token = try server.appleToken("a-1", ["email": "a@b.c", "email_verified": claim])
        let answer = try await server.signIn("apple.com", token)
        #expect(answer["emailVerified"] == .bool(expected))
    }

    @Test("of Google: profile under Google's names, URL form of the federated id, every client id", arguments: Engine.allCases)
    func google(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let profile: JSONValue = ["name": "Ada L", "given_name": "Ada", "family_name": "L", "aud": "google-ios"]
        let token = try server.googleToken("g-1", profile.merging(TestServer.email("ada@gmail.com")))
        let answer = try await server.signIn("google.com", token)
        let session = try server.session(answer)
        #expect(answer["federatedId"] == "https://accounts.google.com/g-1")
        #expect(answer["firstName"] == "Ada")
        #expect(answer["lastName"] == "L")
        let raw = try JSONValue.parse(try #require(answer["rawUserInfo"]?.string).utf8)
        #expect(raw["id"] == "g-1")
        #expect(raw["verified_email"] == true)
        #expect(try await server.account(session)["providerUserInfo"]?[0]?["federatedId"] == "g-1")
    }

    @Test("signed with ES256 as well as RS256", arguments: ["RS256", "ES256"])
    func algorithms(algorithm: String) async throws {
        let server = try await TestServer.start()
        let claims = server.claims("oidc", TestServer.oidcClient, "u")
        let token = try server.provider.token(claims, algorithm: algorithm)
        _ = try server.session(try await server.signIn("oidc.test", token))
    }

    @Test("in every dialect of the path, and in a body that iOS has not encoded", arguments: Engine.allCases)
    func dialects(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let token = try server.oidcToken()
        let postBody = "providerId=oidc.test&id_token=\(token)&user={\"name\":{\"firstName\":\"A&B\"}}&nonce="
        let body: JSONValue = ["requestUri": "http://localhost", "postBody": .string(postBody)]
        for path in [
            "/v1/accounts:signInWithIdp", "/v1/accounts%3AsignInWithIdp", "/v1/accounts%3asignInWithIdp",
            "/identitytoolkit.googleapis.com/v1/accounts:signInWithIdp", "/identitytoolkit/v3/relyingparty/verifyAssertion",
            "/www.googleapis.com/identitytoolkit/v3/relyingparty/verifyAssertion",
        ] {
            let answer = try await server.client.post("\(path)?key=\(TestServer.apiKey)", body)
            #expect(answer.status == 200, "\(path): \(answer.errorMessage ?? "")")
            #expect(answer["idToken"] != nil)
        }
    }

    @Test("with attributes of the provider's own in the token, also after a refresh", arguments: Engine.allCases)
    func signInAttributes(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let token = try server.oidcToken("u", ["groups": ["staff", "admins"]])
        let session = try server.session(try await server.signIn("oidc.test", token))
        let attributes: JSONValue = ["groups": ["staff", "admins"]]
        #expect(try payload(session)["firebase"]?["sign_in_attributes"] == attributes)
        let refreshed = try await server.refresh(session.refreshToken)
        let jws = try #require(refreshed["id_token"]?.string)
        #expect(try decode(jws, 1)["firebase"]?["sign_in_attributes"] == attributes)
    }

    @Test("in a tenant, with the tenant's providers and accounts", arguments: Engine.allCases)
    func tenant(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let token = try server.provider.token(server.claims("acme", "acme-client", "u"))
        let answer = try await server.signIn("oidc.test", token, ["tenantId": "acme"])
        let session = try server.session(answer)
        #expect(answer["tenantId"] == "acme")
        #expect(try payload(session)["firebase"]?["tenant"] == "acme")
        #expect(try await server.account(session)["tenantId"] == "acme")
        let project = try server.session(try await server.signIn("oidc.test", try server.oidcToken("u")))
        #expect(project.localID != session.localID)
        #expect(try await server.signIn("oidc.test", token).errorMessage?.hasPrefix("INVALID_IDP_RESPONSE : ") == true)
        for (tenant, error) in [("nobody", "INVALID_TENANT_ID"), ("closed", "PROJECT_DISABLED")] {
            let refused = try await server.signIn("oidc.test", token, ["tenantId": .string(tenant)])
            #expect(refused.errorMessage == error)
        }
        let crossed = try await server.call("lookup", ["idToken": .string(project.idToken), "tenantId": "acme"])
        #expect(crossed.errorMessage == "TENANT_ID_MISMATCH")
    }

    private struct FirebaseClaims: JWTPayload {
        struct Firebase: Codable {
            let sign_in_provider: String
            let identities: [String: [String]]
        }
        let iss: String
        let aud: String
        let sub: String
        let user_id: String
        let iat: Int
        let exp: Int
        let auth_time: Int
        let email: String
        let email_verified: Bool
        let firebase: Firebase
        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }
}

func header(_ session: TestServer.Session) throws -> JSONValue { try decode(session.idToken, 0) }

func payload(_ session: TestServer.Session) throws -> JSONValue { try decode(session.idToken, 1) }

func decode(_ token: String, _ segment: Int) throws -> JSONValue {
    let segments = token.split(separator: ".", omittingEmptySubsequences: false)
    return try JSONValue.parse(try #require(Base64URL.decode(segments[segment].utf8)))
}
