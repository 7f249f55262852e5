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
        let tenantPath = "/identitytoolkit.googleapis.com/v1/projects/{project}/tenants/{tenant}/accounts:lookup"
        #expect(Lookup.route.paths.contains(tenantPath))
    }
}
