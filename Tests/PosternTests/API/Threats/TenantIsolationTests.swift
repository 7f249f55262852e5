import Foundation
import Project
import TestKit
import Testing

@Suite("One tenant's values at another", .teardown, .timeLimit(.minutes(15)))
struct TenantIsolationTests {
    private static let environment = [
        "POSTERN_SERVER_PUBLIC_URL": "https://auth.example.com", "POSTERN_PASSKEYS_RP_ID": "example.com",
        "POSTERN_PASSKEYS_ORIGINS": "https://app.example.com",
    ]
    private let ceremony = SoftwareAuthenticator.Ceremony(origin: "https://app.example.com", relyingPartyID: "example.com")

    private func start() async throws -> TestServer {
        let project: (FakeIDP) -> String = { provider in
            let methods = """
                allowPasswordSignup: true
                    enableEmailLinkSignin: true
                    enableAnonymousUser: true
                    mfaConfig: {state: ENABLED, providerConfigs: [{state: ENABLED, totpProviderConfig: {}}]}
                    oauthIdpConfigs:
                      oidc.test: {enabled: true, clientId: \(TestServer.oidcClient), issuer: "\(provider.issuer("oidc"))"}
                """
            return """
                config:
                  signIn: {anonymous: {enabled: true}, email: {enabled: true}}
                  emailPrivacyConfig: {enableImprovedEmailPrivacy: false}
                  authorizedDomains: [localhost, app.example.com]
                  multiTenant: {allowTenants: true}
                  mfa: {state: ENABLED, providerConfigs: [{state: ENABLED, totpProviderConfig: {}}]}
                oauthIdpConfigs:
                  oidc.test: {enabled: true, clientId: \(TestServer.oidcClient), issuer: "\(provider.issuer("oidc"))"}
                tenants:
                  one:
                    \(methods)
                  two:
                    \(methods)
                """
        }
        return try await TestServer.start(environment: Self.environment, project: project)
    }

    private func signUp(_ server: TestServer, _ email: String, _ tenant: String?) async throws -> TestServer.Session {
        let body: JSONValue = ["email": .string(email), "password": "secret-1"]
        return try server.session(try await server.call("signUp", body.merging(Self.naming(tenant))))
    }

    private static func link(_ email: String, _ tenant: String) -> JSONValue {
        ["email": .string(email), "tenantId": .string(tenant), "continueUrl": "https://app.example.com/done"]
    }

    private static func naming(_ tenant: String?) -> JSONValue { tenant.map { ["tenantId": .string($0)] } ?? [:] }

    @Test("ID tokens are refused, by every endpoint (JWT-10, TEN-01)")
    func idTokens() async throws {
        let server = try await start()
        for (own, other) in [("one", "two"), (nil, "two")] as [(String?, String)] {
            let session = try await signUp(server, "a@example.com", own)
            let body: JSONValue = ["idToken": .string(session.idToken), "tenantId": .string(other)]
            let link: JSONValue = ["email": "new@example.com", "password": "secret-2"]
            let providerToken = try server.oidcToken("x")
            let postBody = TestClient.encode([("providerId", "oidc.test"), ("id_token", providerToken)])
            let idp: JSONValue = ["requestUri": "http://localhost", "postBody": .string(postBody)]
            let code = try await server.code("EMAIL_SIGNIN", Self.link("new@example.com", other))
            for (method, extra) in [
                ("lookup", [:]), ("update", ["displayName": "x"]), ("delete", [:]), ("signUp", link), ("signInWithIdp", idp),
                ("signInWithEmailLink", ["email": "new@example.com", "oobCode": .string(code)]),
                ("sendOobCode", ["requestType": "VERIFY_EMAIL"]),
            ] as [(String, JSONValue)] {
                let answer = try await server.call(method, body.merging(extra))
                #expect(answer.errorMessage == "TENANT_ID_MISMATCH", "\(method): \(answer.json)")
            }
            for (method, extra) in [
                ("mfaEnrollment:start", ["totpEnrollmentInfo": [:]]), ("mfaEnrollment:withdraw", ["mfaEnrollmentId": "x"]),
                ("passkeyEnrollment:start", [:]),
            ] as [(String, JSONValue)] {
                let answer = try await server.callV2(method, body.merging(extra))
                #expect(answer.errorMessage == "TENANT_ID_MISMATCH", "\(method): \(answer.json)")
            }
            let token: JSONValue = ["idToken": .string(session.idToken)]
            let cookie = try await server.admin(":createSessionCookie", token, tenant: other)
            #expect(cookie.errorMessage == "TENANT_ID_MISMATCH")
            let update = try await server.admin("accounts:update", token.merging(["localId": "x"]), tenant: other)
            #expect(update.errorMessage == "TENANT_ID_MISMATCH")
            #expect(try await server.account(session)["email"] == "a@example.com")
        }
    }

    @Test("codes, pending credentials and challenges are refused, with and without a tenant (OTP-02, PKY-07, OOB-02)")
    func values() async throws {
        let server = try await start()
        let session = try await signUp(server, "a@example.com", "one")
        for tenant in ["two", nil] { _ = try await signUp(server, "a@example.com", tenant) }
        let own: JSONValue = ["tenantId": "one"]
        let reset = try await server.code("PASSWORD_RESET", ["email": "a@example.com", "tenantId": "one"])
        let verify = try await server.code("VERIFY_EMAIL", ["idToken": .string(session.idToken)])
        let signIn = try await server.code("EMAIL_SIGNIN", Self.link("a@example.com", "one"))
        let claims = TestServer.email("a@example.com", verified: false)
        let collision = try await server.signIn("oidc.test", try server.oidcToken("x", claims), own)
        let pending = try #require(collision["pendingToken"], "\(collision.json)")
        let minter = try await CustomTokenTests.Minter(on: server)
        let custom = try minter.token("c", ["tenant_id": "one"])
        let calls: [(String, JSONValue, String)] = [
            ("resetPassword", ["oobCode": .string(reset)], "INVALID_OOB_CODE"),
            ("resetPassword", ["oobCode": .string(reset), "newPassword": "secret-2"], "INVALID_OOB_CODE"),
            ("update", ["oobCode": .string(verify)], "INVALID_OOB_CODE"),
            ("signInWithEmailLink", ["oobCode": .string(signIn), "email": "a@example.com"], "INVALID_OOB_CODE"),
            ("signInWithIdp", ["pendingToken": pending, "requestUri": "http://localhost"], "INVALID_PENDING_TOKEN"),
            ("signInWithCustomToken", ["token": .string(custom)], "TENANT_ID_MISMATCH"),
        ]
        for tenant in ["two", nil] {
            for (method, body, error) in calls {
                if tenant == nil, method == "signInWithCustomToken" { continue }
                let answer = try await server.call(method, body.merging(Self.naming(tenant)))
                #expect(answer.errorMessage?.hasPrefix(error) == true, "\(method) at \(tenant ?? "project"): \(answer.json)")
                #expect(answer["idToken"] == nil)
            }
        }
        // Both codes were valid. The first one that proves the address ends the other.
        #expect(try await server.call("resetPassword", own.merging(["oobCode": .string(reset)])).status == 200)
        #expect(try await server.call("update", own.merging(["oobCode": .string(verify)])).status == 200)
        let late = try await server.call("resetPassword", own.merging(["oobCode": .string(reset), "newPassword": "secret-2"]))
        #expect(late.errorMessage == "INVALID_OOB_CODE", "\(late.json)")
    }

    @Test("second factors and passkeys are refused (MFA-01, PKY-05, PKY-07)")
    func factors() async throws {
        let server = try await start()
        var sessions: [TestServer.Session] = []
        for tenant in ["one", "two"] {
            let session = try await signUp(server, "a@example.com", tenant)
            let code = try await server.code("VERIFY_EMAIL", ["idToken": .string(session.idToken)])
            #expect(try await server.call("update", ["oobCode": .string(code), "tenantId": .string(tenant)]).status == 200)
            sessions.append(session)
        }
        // The secret that tenant one's user got does not work in tenant two.
        let started = try await server.callV2(
            "mfaEnrollment:start",
            ["idToken": .string(sessions[0].idToken), "totpEnrollmentInfo": [:]]
        )
        let info = try #require(started["totpSessionInfo"], "\(started.json)")
        let secret = try #require(info["sharedSecretKey"]?.string)
        let app = try #require(AuthenticatorApp(sharedSecretKey: secret))
        let shown: JSONValue = [
            "sessionInfo": info["sessionInfo"] ?? .null, "verificationCode": .string(app.code(at: server.clock.now)),
        ]
        let foreign: JSONValue = ["idToken": .string(sessions[1].idToken), "totpVerificationInfo": shown]
        let refused = try await server.callV2("mfaEnrollment:finalize", foreign)
        #expect(refused.errorMessage?.hasPrefix("INVALID_SESSION_INFO") == true, "\(refused.json)")
        // A first factor of tenant one can be completed only there.
        let enrolled = try await server.enrollApp(sessions[0])
        let password: JSONValue = ["email": "a@example.com", "password": "secret-1", "tenantId": "one"]
        let pending = try await server.call("signInWithPassword", password)
        let code = enrolled.app.code(at: server.clock.now)
        let body: JSONValue = [
            "mfaPendingCredential": pending["mfaPendingCredential"] ?? .null,
            "mfaEnrollmentId": .string(enrolled.enrollmentID),
            "totpVerificationInfo": ["verificationCode": .string(code)],
        ]
        let elsewhere = try await server.callV2("mfaSignIn:finalize", body.merging(["tenantId": "two"]))
        #expect(elsewhere.status == 400 && elsewhere["idToken"] == nil, "\(elsewhere.json)")
        #expect(try await server.callV2("mfaSignIn:finalize", body.merging(["tenantId": "one"])).status == 200)
        // A passkey of tenant two does not work in tenant one, and a challenge works only in its own scope.
        let passkey = SoftwareAuthenticator()
        let challenge = try await server.callV2("passkeyEnrollment:start", ["idToken": .string(sessions[1].idToken)])
        let options = try #require(challenge["credentialCreationOptions"]?["challenge"]?.string, "\(challenge.json)")
        let registration = try passkey.register(options, ceremony)
        for (session, status) in [(enrolled.session, 400), (sessions[1], 200)] {
            let body: JSONValue = ["idToken": .string(session.idToken), "authenticatorRegistrationResponse": registration]
            let answer = try await server.callV2("passkeyEnrollment:finalize", body)
            #expect(answer.status == status, "\(answer.json)")
        }
        for (asked, shown, status) in [
            ("one", "one", 400), ("two", "one", 400), ("one", "two", 400), (nil, "two", 400), ("two", "two", 200),
        ] as [(String?, String?, Int)] {
            let started = try await server.callV2("passkeySignIn:start", Self.naming(asked))
            let challenge = try #require(started["credentialRequestOptions"]?["challenge"]?.string, "\(started.json)")
            let response: JSONValue = ["authenticatorAuthenticationResponse": try passkey.assert(challenge, ceremony)]
            let answer = try await server.callV2("passkeySignIn:finalize", response.merging(Self.naming(shown)))
            #expect(answer.status == status, "\(asked ?? "-") at \(shown ?? "-"): \(answer.json)")
        }
    }

    @Test("administrators' calls reach the accounts of the tenant that the path names, whatever the body says (TEN-01, TEN-06)")
    func administration() async throws {
        let server = try await start()
        let session = try await signUp(server, "a@example.com", "one")
        _ = try await signUp(server, "b@example.com", "one")
        let id: JSONValue = ["localId": .string(session.localID)]
        let page = try #require(try await server.list("maxResults=1", tenant: "one")["nextPageToken"]?.string)
        for tenant in ["two", nil] {
            // The project's administrator may name a tenant in the body, but only the one in the path.
            for body in tenant == nil ? [id] : [id, id.merging(["tenantId": "one"])] {
                let lookup = try await server.admin(
                    "accounts:lookup",
                    body.merging(["localId": [.string(session.localID)]]),
                    tenant: tenant
                )
                #expect(lookup["users"] == nil, "\(lookup.json)")
                for method in ["accounts:update", "accounts:delete"] {
                    let answer = try await server.admin(method, body.merging(["displayName": "x"]), tenant: tenant)
                    #expect(answer.status == 400, "\(method) \(tenant ?? "-") \(answer.json)")
                }
                let batch: JSONValue = ["localIds": [.string(session.localID)], "force": true]
                _ = try await server.admin("accounts:batchDelete", body.merging(batch), tenant: tenant)
            }
            let query = TestClient.encode([("maxResults", "1"), ("nextPageToken", page)])
            let listed = try await server.list(query, tenant: tenant)
            // By the contract it is an id: it says where to begin, and gives no access.
            let ids = (listed["users"]?.array ?? []).compactMap { $0["localId"]?.string }
            #expect(!ids.contains(session.localID) && !ids.contains(page), "\(listed.json)")
            let link: JSONValue = ["requestType": "PASSWORD_RESET", "email": "a@example.com", "returnOobLink": true]
            let code = try await server.admin("accounts:sendOobCode", link, tenant: tenant)
            #expect(code.errorMessage == "EMAIL_NOT_FOUND", "\(code.json)")
        }
        #expect(try await server.user(session.localID, tenant: "one") != nil)
        for path in ["../one", "%2e%2e", "one%2Faccounts", "", "\u{2044}", "one two"] {
            let encoded = path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? ""
            let url = TestServer.adminPath("accounts:lookup", tenant: encoded)
            let answer = try await server.client.post(url, ["email": ["a@example.com"]], headers: TestServer.bearer)
            #expect((400...404).contains(answer.status) && answer["users"] == nil, "\(path): \(answer.json)")
        }
    }
}
