import Project
import TestKit
import Testing

@Suite("Identifiers in a provider's tokens", .teardown)
struct LookalikeTests {
    @Test("are not ours where they only look the same")
    func lookalikes() async throws {
        let project = { (provider: FakeIDP) in
            "oauthIdpConfigs: {oidc.test: {enabled: true, clientId: OPK, issuer: \"\(provider.issuer("K"))\"}}"
        }
        // U+212A KELVIN SIGN, which is canonically a K.
        let kelvin = "\u{212A}"
        let server = try await TestServer.start(project: project)
        func signIn(_ overrides: JSONValue = [:]) async throws -> TestClient.Answer {
            try await server.signIn("oidc.test", try server.provider.token(server.claims("K", "OPK", "u", overrides)))
        }
        func expectRefused(_ overrides: JSONValue = [:]) async throws {
            let message = try await signIn(overrides).errorMessage ?? "none"
            #expect(message.hasPrefix("INVALID_IDP_RESPONSE : "), "\(overrides.text): \(message)")
        }
        let issuer = JSONValue.string(server.provider.issuer(kelvin))
        server.provider.overrideDiscovery(["issuer": issuer])
        try await expectRefused()
        server.provider.overrideDiscovery([:])
        server.clock.advance(by: .seconds(2))
        _ = try server.session(try await signIn())
        let audience = JSONValue.string("OP" + kelvin)
        for overrides: JSONValue in [
            ["aud": audience], ["aud": .array([audience])], ["aud": .array([audience, "x"]), "azp": "OPK"],
            ["aud": ["OPK", "x"], "azp": audience], ["azp": audience], ["iss": issuer],
        ] { try await expectRefused(overrides) }
    }
}
