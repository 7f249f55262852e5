import Foundation
import Project
import TestKit
import Testing

@Suite("Sign-in flows", .teardown, .timeLimit(.minutes(15)))
struct AuthorizationFlowTests {
    @Test("a code of a generic provider signs in", arguments: Engine.allCases)
    func code(engine: Engine) async throws {
        let server = try await FlowServer.start(on: engine)
        let authorization = server.provider.authorization
        authorization.setUser(["sub": "ada", "email": "ada@example.com", "email_verified": true])
        let flow = try await server.begin("oidc.code", ["oauthScope": "groups email", "context": "mine", "sessionId": "own"])
        #expect(flow.sessionID == "own")
        let query = flow.query
        #expect(query["client_id"] == "code-client")
        #expect(query["redirect_uri"] == FlowServer.redirect)
        #expect(query["response_type"] == "code")
        #expect(query["scope"] == "openid email profile groups")
        #expect(query["code_challenge_method"] == "S256")
        #expect(query["code_challenge"]?.utf8.count == 43)
        #expect(query["nonce"]?.utf8.count == 64)
        #expect((query["state"]?.utf8.count ?? 0) >= 22)
        let answer = try await FakeAuthorizationServer.visit(flow.authURI)
        let result = try await server.complete(answer, flow.sessionID)
        let session = try server.session(result)
        #expect(result["providerId"] == "oidc.code")
        #expect(result["federatedId"] == "ada")
        #expect(result["email"] == "ada@example.com")
        #expect(result["context"] == "mine")
        #expect(result["oauthExpireIn"] == 3599)
        #expect(result["oauthAccessToken"]?.string?.hasPrefix("access-") == true)
        #expect(result["oauthIdToken"]?.string != nil)
        #expect(result["oauthRefreshToken"] == nil)
        #expect(result["pendingToken"]?.string != nil)
        #expect(result["nonce"]?.string.map { hexadecimal(sha256($0.utf8)) } == query["nonce"])
        #expect(try await server.account(session)["email"] == "ada@example.com")
        #expect(authorization.refusals.isEmpty)
    }

    @Test("what the ID token leaves out is asked for, and must be about the same user")
    func userInfo() async throws {
        let server = try await FlowServer.start()
        let authorization = server.provider.authorization
        authorization.setUser(["sub": "ada", "groups": ["a"]])
        let profile: JSONValue = [
            "sub": "ada", "name": "Ada", "email": "ada@example.com", "email_verified": true, "groups": ["evil"], "team": "x",
        ]
        authorization.setProfile(profile)
        let result = try await server.signInByFlow("oidc.code")
        _ = try server.session(result)
        #expect(result["email"] == "ada@example.com")
        #expect(result["emailVerified"] == true)
        #expect(result["displayName"] == "Ada")
        let raw = try JSONValue.parse(try #require(result["rawUserInfo"]?.string).utf8)
        #expect(raw["team"] == "x")
        #expect(raw["groups"] == ["a"])
        // When the ID token has everything, the user info is not requested.
        let count = server.provider.count("/code/userinfo")
        authorization.setUser(["sub": "ada", "name": "Ada", "email": "ada@example.com"])
        _ = try server.session(try await server.signInByFlow("oidc.code"))
        #expect(server.provider.count("/code/userinfo") == count)
        for other: JSONValue in [["sub": "bob"], ["sub": .null], ["sub": 1]] {
            authorization.setUser(["sub": "ada"])
            authorization.setProfile(profile.merging(other))
            expectRefused(try await server.signInByFlow("oidc.code"), "INVALID_IDP_RESPONSE : ", other.text)
        }
        server.provider.setFault(.status(503), at: "/code/userinfo")
        expectRefused(try await server.signInByFlow("oidc.code"))
        // A provider may refuse its user info. The ID token is then used alone.
        server.provider.setFault(.status(403), at: "/code/userinfo")
        #expect(try server.session(try await server.signInByFlow("oidc.code")).localID == server.session(result).localID)
        server.provider.setFault(.status(503), at: "/code/userinfo")
        authorization.setUser(["sub": "ada", "email": "ada@example.com"])
        _ = try server.session(try await server.signInByFlow("oidc.code"))
    }

    @Test("the client proves itself as the provider announces")
    func clientSecretPost() async throws {
        do {
            let server = try await FlowServer.start()
            server.provider.overrideDiscovery(["token_endpoint_auth_methods_supported": ["client_secret_post"]])
            let result = try await server.signInByFlow("oidc.post", ["returnRefreshToken": true])
            _ = try server.session(result)
            #expect(result["oauthRefreshToken"]?.string?.hasPrefix("refresh-") == true)
        }
        let server = try await FlowServer.start()
        server.provider.overrideDiscovery(["token_endpoint_auth_methods_supported": ["private_key_jwt"]])
        let body: JSONValue = ["providerId": "oidc.post", "continueUri": .string(FlowServer.redirect)]
        let answer = try await server.call("createAuthUri", body)
        #expect(answer.errorMessage?.hasPrefix("INVALID_IDP_RESPONSE : ") == true)
    }

    @Test("an implicit ID token signs in, posted or in the fragment")
    func implicit() async throws {
        for mode in ["form_post", "fragment"] {
            let server = try await FlowServer.start()
            server.provider.overrideDiscovery(["response_modes_supported": [.string(mode)]])
            let flow = try await server.begin("oidc.implicit")
            #expect(flow.query["response_type"] == "id_token")
            #expect(flow.query["response_mode"] == mode)
            #expect(flow.query["code_challenge"] == nil)
            let answer = try await FakeAuthorizationServer.visit(flow.authURI)
            _ = try server.session(try await server.complete(answer, flow.sessionID))
        }
    }

    @Test("Google's parameters are sent, and the profile has Google's form")
    func google() async throws {
        let server = try await FlowServer.start()
        server.provider.authorization.setUser(["sub": "g-1", "email": "g@gmail.com", "email_verified": true])
        let flow = try await server.begin(
            "google.com",
            [
                "identifier": "g@gmail.com", "hostedDomain": "example.com", "authFlowType": "CODE_FLOW",
                "oauthScope": #"{"google.com": "https://www.googleapis.com/auth/drive", "x": "y"}"#,
                "customParameter": ["prompt": "consent", "nonce": "mine", "code_challenge": "x", "response_mode": "web"],
            ]
        )
        let query = flow.query
        #expect(query["login_hint"] == "g@gmail.com")
        #expect(query["hd"] == "example.com")
        #expect(query["prompt"] == "consent")
        #expect(query["scope"] == "openid email profile https://www.googleapis.com/auth/drive")
        #expect(query["nonce"] != "mine")
        #expect(query["code_challenge"] != "x")
        #expect(query["response_mode"] == nil)
        #expect(flow.authURI.components(separatedBy: "nonce=").count == 2)
        let result = try await server.complete(try await FakeAuthorizationServer.visit(flow.authURI), flow.sessionID)
        _ = try server.session(result)
        #expect(result["federatedId"] == "https://accounts.google.com/g-1")
        let profile = try JSONValue.parse(try #require(result["rawUserInfo"]?.string).utf8)
        #expect(profile["granted_scopes"] == "openid granted")
    }

    @Test("Apple's answer is posted, with the name beside it; the client secret is signed")
    func apple() async throws {
        let server = try await FlowServer.start()
        let authorization = server.provider.authorization
        authorization.setUser(["sub": "apple-1", "email": "a@example.com", "email_verified": "true"])
        authorization.setAnswerParameters([("user", #"{"name": {"firstName": "Ada", "lastName": "Byron"}}"#)])
        let flow = try await server.begin("apple.com")
        #expect(flow.query["response_type"] == "code id_token")
        #expect(flow.query["response_mode"] == "form_post")
        #expect(flow.query["scope"] == "name email")
        let result = try await server.complete(try await FakeAuthorizationServer.visit(flow.authURI), flow.sessionID)
        let session = try server.session(result)
        #expect(result["displayName"] == "Ada Byron")
        #expect(result["oauthAccessToken"]?.string != nil)
        #expect(try await server.account(session)["displayName"] == "Ada Byron")
        #expect(authorization.refusals.isEmpty)
    }

    @Test("a server auth code is exchanged without a flow")
    func serverAuthCode() async throws {
        let server = try await FlowServer.start()
        let code = server.provider.authorization.nativeCode(issuer: "google", clientID: "google-client", claims: ["sub": "g-2"])
        let form = TestClient.encode([("providerId", "google.com"), ("code", code)])
        let body: JSONValue = ["requestUri": "http://localhost", "postBody": .string(form)]
        let result = try await server.call("signInWithIdp", body)
        _ = try server.session(result)
        #expect(result["oauthAccessToken"]?.string != nil)
        let again = try await server.call("signInWithIdp", body)
        #expect(again.errorMessage == "INVALID_IDP_RESPONSE : The identity provider refused the request.")
    }

    @Test("a flow links to the account of the ID token, in its tenant")
    func linking() async throws {
        let server = try await FlowServer.start()
        let anonymous = try server.session(try await server.call("signUp", [:]))
        let result = try await server.signInByFlow("oidc.code", anonymous.token)
        #expect(try server.session(result).localID == anonymous.localID)
        let flow = try await server.begin("oidc.code", ["tenantId": "acme"])
        #expect(flow.query["client_id"] == "acme-client")
        let answer = try await FakeAuthorizationServer.visit(flow.authURI)
        let inTenant = try await server.complete(answer, flow.sessionID, ["tenantId": "acme"])
        _ = try server.session(inTenant)
        #expect(inTenant["tenantId"] == "acme")
    }

    @Test(
        "people are sent to the right place",
        arguments: [
            ("facebook.com", "/facebook-web/v23.0/dialog/oauth", "public_profile,email"),
            ("github.com", "/github/login/oauth/authorize", "user:email"),
            ("microsoft.com", "/microsoft/contoso.example/oauth2/v2.0/authorize", "openid email profile"),
            ("yahoo.com", "/yahoo/authorize", "openid email profile"),
            ("linkedin.com", "/linkedin/authorize", "openid email profile"),
            ("discord.com", "/discord/oauth2/authorize", "identify email"),
        ]
    )
    func otherProviders(providerID: String, path: String, scope: String) async throws {
        let server = try await FlowServer.start()
        let extra: JSONValue = providerID == "microsoft.com" ? ["customParameter": ["tenant": "contoso.example"]] : [:]
        let flow = try await server.begin(providerID, extra)
        #expect(URLComponents(string: flow.authURI)?.path == path)
        #expect(flow.query["scope"] == scope)
        #expect(flow.query["tenant"] == nil)
        #expect((flow.query["code_challenge"] == nil) == (providerID == "linkedin.com"))
        let answer = try await FakeAuthorizationServer.visit(flow.authURI)
        #expect(answer.mode == "query")
    }

    @Test("Twitter's request token is signed, authorized and exchanged once")
    func twitter() async throws {
        let server = try await FlowServer.start()
        let flow = try await server.begin(
            "twitter.com",
            ["customParameter": ["lang": "fr", "oauth_callback": "https://evil.example"]]
        )
        #expect(URLComponents(string: flow.authURI)?.path == "/twitter/oauth/authenticate")
        #expect(flow.query["lang"] == "fr")
        #expect(flow.query["state"] == nil)
        #expect(flow.query["oauth_callback"] == nil)
        let answer = try await FakeAuthorizationServer.visit(flow.authURI)
        _ = try await server.complete(answer, flow.sessionID)
        #expect(server.provider.count("/twitter/oauth/access_token") == 1)
        #expect(server.provider.authorization.refusals.isEmpty)
        let again = try await server.complete(answer, flow.sessionID)
        #expect(again.errorMessage?.hasPrefix("INVALID_IDP_RESPONSE : ") == true)
        #expect(server.provider.count("/twitter/oauth/access_token") == 1)
    }

    @Test("development answers 501 for a provider that is not configured, and starts one that is")
    func development() async throws {
        let server = try await FlowServer.start(mode: .development)
        let body: JSONValue = ["providerId": "oidc.unknown", "continueUri": "http://localhost"]
        #expect(try await server.call("createAuthUri", body).status == 501)
        _ = try server.session(try await server.signInByFlow("oidc.code"))
    }
}
