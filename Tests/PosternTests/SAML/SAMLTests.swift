import Project
import TestKit
import Testing

@Suite("SAML providers")
struct SAMLTests {
    private static let unavailable = "OPERATION_NOT_ALLOWED : SAML sign-in is not available."

    private static func project(_ provider: FakeIDP) -> String {
        """
        config: {authorizedDomains: [app.example.com]}
        inboundSamlConfigs:
          saml.test: {enabled: true}
          saml.off: {enabled: false}
        """
    }

    @Test("that are configured say that nobody can sign in by them yet; others are unknown")
    func refused() async throws {
        try await TestServer.running(project: Self.project) { server in
            for (providerID, message) in [
                ("saml.test", Self.unavailable), ("SAML.Test", Self.unavailable),
                ("saml.off", "OPERATION_NOT_ALLOWED : The identity provider configuration is disabled."),
                ("saml.none", "INVALID_PROVIDER_ID"),
            ] {
                for parameter in ["SAMLResponse", "id_token"] {
                    let form = TestClient.encode([("providerId", providerID), (parameter, "PD94bWw+")])
                    let body: JSONValue = ["requestUri": "http://localhost", "postBody": .string(form)]
                    #expect(try await server.call("signInWithIdp", body).errorMessage == message, "\(providerID) \(parameter)")
                }
                let start: JSONValue = ["providerId": .string(providerID), "continueUri": "https://app.example.com/"]
                #expect(try await server.call("createAuthUri", start).errorMessage == message, "\(providerID)")
            }
            var browser = HandlerBrowser(server: server)
            let page = try await browser.open(HandlerBrowser.web("signInViaPopup", "saml.test", eventID: "1"))
            #expect(page.event["error"]?["code"] == "auth/operation-not-allowed")
            let unknown = try await browser.open(HandlerBrowser.web("signInViaPopup", "saml.none", eventID: "1"))
            #expect(unknown.event["error"]?["code"] == "auth/invalid-provider-id")
            // Apps are not offered SAML providers either.
            let projects = try await server.client.get(
                "/v1/projects?key=\(TestServer.apiKey)",
                headers: [("Authorization", "Bearer \(TestServer.adminToken)")]
            )
            #expect(projects["idpConfig"] == nil)
        }
    }
}
