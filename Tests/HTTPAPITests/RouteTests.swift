import HTTPTypes
import Testing

@testable import HTTPAPI

@Suite("Routes")
struct RouteTests {
    @Test("answer under every dialect of their path")
    func dialects() {
        #expect(
            SignInWithIdp.route.paths.sorted() == [
                "/identitytoolkit.googleapis.com/v1/accounts:signInWithIdp",
                "/identitytoolkit/v3/relyingparty/verifyAssertion",
                "/v1/accounts:signInWithIdp",
                "/www.googleapis.com/identitytoolkit/v3/relyingparty/verifyAssertion",
            ]
        )
        #expect(SecureToken.route.paths.sorted() == ["/securetoken.googleapis.com/v1/token", "/v1/token"])
        for (paths, legacyName) in [
            (SignInWithCustomToken.route.paths, "verifyCustomToken"), (ProjectConfiguration.route.paths, "getProjectConfig"),
            (RecaptchaParams.route.paths, "getRecaptchaParam"),
        ] {
            #expect(paths.count == 4)
            #expect(paths.contains("/www.googleapis.com/identitytoolkit/v3/relyingparty/\(legacyName)"))
        }
        let host = "/identitytoolkit.googleapis.com"
        let cookie = [
            "/v1/projects/{project}:createSessionCookie", "/v1/projects/{project}/tenants/{tenant}:createSessionCookie",
        ]
        #expect(CreateSessionCookie.route.paths == cookie + cookie.map { host + $0 })
        #expect(SignUp.route.paths.contains(host + "/v1/projects/{project}/accounts"))
        #expect(QueryAccounts.route.paths.contains("/v1/projects/{project}:queryAccounts"))
        #expect(UploadAccount.route.paths.allSatisfy { $0.hasSuffix("/identitytoolkit/v3/relyingparty/uploadAccount") })
        #expect(PasswordPolicyInfo.route.paths == ["/v2/passwordPolicy", host + "/v2/passwordPolicy"])
        #expect(RecaptchaConfig.route.paths == ["/v2/recaptchaConfig", host + "/v2/recaptchaConfig"])
        #expect(
            Route.admin(.get, .readConfiguration, "/config").paths.sorted() == [
                "/admin/v2/projects/{project}/config", "/identitytoolkit.googleapis.com/admin/v2/projects/{project}/config",
                "/identitytoolkit.googleapis.com/v2/projects/{project}/config", "/v2/projects/{project}/config",
            ]
        )
        let tenantPath = "/identitytoolkit.googleapis.com/v1/projects/{project}/tenants/{tenant}/accounts:lookup"
        #expect(Lookup.route.paths.contains(tenantPath))
    }
}
