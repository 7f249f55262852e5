import Project
import TestKit
import Testing

@Suite("What clients read before they sign anybody in", .teardown, .timeLimit(.minutes(15)))
struct SmallEndpointTests {
    private func get(_ server: TestServer, _ path: String, _ query: String = "") async throws -> TestClient.Answer {
        try await server.client.get("/\(path)?key=\(TestServer.apiKey)\(query)")
    }

    @Test("the project's configuration names its number and its domains, the server's own among them")
    func project() async throws {
        let project = "config: {authorizedDomains: [localhost, app.example.com], signIn: {anonymous: {enabled: true}}}"
        let variables = ["POSTERN_SERVER_PUBLIC_URL": "https://Auth.Example.com"]
        try await TestServer.running(environment: variables, project: { _ in project }) { server in
            for path in ["v1/projects", "identitytoolkit/v3/relyingparty/getProjectConfig"] {
                let answer = try await get(server, path, "&iosBundleId=com.example&returnDynamicLink=true")
                #expect(answer.status == 200)
                #expect(answer["projectId"]?.string?.count == 12)
                #expect(answer["authorizedDomains"] == ["localhost", "app.example.com", "auth.example.com"])
                #expect(answer.json.object?.count == 2)
            }
            let bearer = [("Authorization", "Bearer \(TestServer.adminToken)")]
            let privileged = try await server.client.get("/v1/projects", headers: bearer)
            #expect(privileged["enableAnonymousUser"] == true)
            #expect(privileged["allowPasswordUser"] == false)
            #expect(privileged["useEmailSending"] == true)
            #expect(privileged["apiKey"] == .string(TestServer.apiKey))
            #expect(privileged["idpConfig"] == nil)
            let google: JSONValue = ["enabled": true, "clientId": "c", "clientSecret": "hush"]
            #expect(try await server.admin("POST", "/defaultSupportedIdpConfigs?idpId=google.com", google).status == 200)
            let configured = try await server.client.get("/v1/projects", headers: bearer)
            #expect(configured["idpConfig"] == [["provider": "google.com", "enabled": true, "clientId": "c"]])
            #expect(try await server.client.get("/v1/projects").status == 403)
            #expect(try await server.client.post("/v1/projects?key=\(TestServer.apiKey)", [:]).status == 405)
        }
        try await TestServer.running { server in
            let bound = try await get(server, "v1/projects")
            #expect(bound["authorizedDomains"] == ["localhost", "127.0.0.1"])
            for query in ["&tenantId=acme", "&tenant_id=acme"] {
                #expect(try await get(server, "v1/projects", query).errorMessage == "UNSUPPORTED_TENANT_OPERATION")
            }
            #expect(try await get(server, "v1/projects", "&tenantId=closed").errorMessage == "PROJECT_DISABLED")
            #expect(try await get(server, "v1/projects", "&tenantId=nobody").errorMessage == "INVALID_TENANT_ID")
        }
        let server = try await TestServer.start(mode: .development)
        let answer = try await get(server, "v1/projects")
        #expect(answer.json == ["projectId": "12345", "authorizedDomains": ["localhost"]])
    }

    @Test("what no client needs is known, and said to be missing")
    func unimplemented() async throws {
        let server = try await TestServer.start()
        let legacy = "/www.googleapis.com/identitytoolkit/v3/relyingparty"
        for path in ["/v1/accounts:issueSamlResponse", "\(legacy)/signOutUser", "\(legacy)/setProjectConfig"] {
            let answer = try await server.client.post("\(path)?key=\(TestServer.apiKey)", [:])
            #expect(answer.status == 501)
            #expect(answer["error"]?["status"] == "NOT_IMPLEMENTED")
            #expect(answer["error"]?["errors"]?[0]?["reason"] == "unimplemented")
            #expect(try await server.client.post(path, [:]).status == 403)
        }
    }

    @Test("an empty e-mail asks for an anonymous account first, which may be switched off")
    func anonymousOff() async throws {
        let project = "config: {signIn: {anonymous: {enabled: false}}}"
        try await TestServer.running(project: { _ in project }) { server async throws in
            #expect(try await server.call("signUp", ["email": ""]).errorMessage == "ADMIN_ONLY_OPERATION")
        }
        let server = try await TestServer.start(project: { _ in "config: {signIn: {anonymous: {enabled: true}}}" })
        #expect(try await server.call("signUp", ["email": ""]).errorMessage == "INVALID_EMAIL")
    }

    @Test("the password policy is that of the project or of the tenant that the query names")
    func passwordPolicy() async throws {
        let project = """
            config:
              passwordPolicyConfig:
                passwordPolicyEnforcementState: ENFORCE
                passwordPolicyVersions: [{customStrengthOptions: {containsNumericCharacter: true, minPasswordLength: 8}}]
            tenants: {acme: {}}
            """
        let server = try await TestServer.start(project: { _ in project })
        let answer = try await get(server, "v2/passwordPolicy")
        #expect(answer["customStrengthOptions"] == ["containsNumericCharacter": true, "minPasswordLength": 8])
        #expect(answer["enforcementState"] == "ENFORCE")
        #expect(answer["forceUpgradeOnSignin"] == false)
        #expect(answer["schemaVersion"] == 1)
        #expect(answer["allowedNonAlphanumericCharacters"]?.array?.contains("~") == true)
        let tenant = try await get(server, "identitytoolkit.googleapis.com/v2/passwordPolicy", "&tenantId=acme")
        #expect(tenant["enforcementState"] == "OFF")
        #expect(try await get(server, "v2/passwordPolicy", "&tenantId=nobody").errorMessage == "INVALID_TENANT_ID")
    }

    @Test("reCAPTCHA is off unless configured, and each platform has its key")
    func recaptcha() async throws {
        let off: JSONValue = [
            ["provider": "EMAIL_PASSWORD_PROVIDER", "enforcementState": "OFF"],
            ["provider": "PHONE_PROVIDER", "enforcementState": "OFF"],
        ]
        let project = """
            config:
              recaptchaConfig:
                emailPasswordEnforcementState: AUDIT
                useSmsBotScore: true
                recaptchaKeys:
                  - {key: projects/p/keys/web-key, type: WEB}
                  - {key: projects/p/keys/ios-key, type: IOS}
                  - {key: malformed, type: ANDROID}
            tenants: {acme: {recaptchaConfig: {phoneEnforcementState: ENFORCE, useSmsTollFraudProtection: true}}}
            """
        try await TestServer.running(project: { _ in project }) { server in
            for (query, key) in [
                ("", "projects/p/keys/web-key"),
                ("&clientType=CLIENT_TYPE_IOS&version=RECAPTCHA_ENTERPRISE", "projects/p/keys/ios-key"),
                ("&client_type=3", "projects/p/keys/ios-key"), ("&clientType=CLIENT_TYPE_ANDROID", nil),
            ] {
                let answer = try await get(server, "v2/recaptchaConfig", query)
                #expect(answer["recaptchaKey"]?.string == key)
                #expect(answer["recaptchaEnforcementState"]?[0]?["enforcementState"] == "AUDIT")
                #expect(answer["useSmsBotScore"] == nil)
            }
            let wrong = try await get(server, "v2/recaptchaConfig", "&clientType=TOASTER")
            #expect(wrong.errorMessage?.hasPrefix("Invalid JSON payload received. /clientType") == true)
            let tenant = try await get(server, "v2/recaptchaConfig", "&tenantId=acme")
            #expect(tenant["recaptchaKey"] == nil)
            #expect(tenant["recaptchaEnforcementState"]?[1]?["enforcementState"] == "ENFORCE")
            #expect(tenant["useSmsTollFraudProtection"] == true)
            let parameters = try await get(server, "identitytoolkit/v3/relyingparty/getRecaptchaParam")
            #expect(parameters.json == ["kind": "identitytoolkit#GetRecaptchaParamResponse", "recaptchaSiteKey": "web-key"])
        }
        for mode in [ServerMode.production, .development] {
            let server = try await TestServer.start(mode: mode)
            let configuration = try await get(server, "v2/recaptchaConfig")
            #expect(configuration.json == ["recaptchaEnforcementState": off])
            let parameters = try await get(server, "v1/recaptchaParams")
            guard mode == .development else {
                // The JS SDK shows the text after the colon. Without a key it would show `auth/internal-error`.
                #expect(parameters.status == 400 && parameters["recaptchaSiteKey"] == nil)
                let message = "OPERATION_NOT_ALLOWED : reCAPTCHA is not configured on this server (recaptcha.siteKey)."
                #expect(parameters.errorMessage == message)
                return
            }
            #expect(parameters["kind"] == "identitytoolkit#GetRecaptchaParamResponse")
            #expect(parameters["recaptchaSiteKey"] != nil && parameters["recaptchaStoken"] != nil)
        }
    }
}
