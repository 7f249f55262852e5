import Accounts
import Crypto
import Foundation
import Project
import TestKit
import Testing

@testable import Server

@Suite("Providers in the console", .teardown, .timeLimit(.minutes(15)))
struct ProviderScreenTests {
    private static let path = "/console/providers/oidc.test"

    @Test("a provider is asked, and what is wrong is said")
    func test() async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        let owner = try await ConsoleClient.enroll(server)
        let page = try await owner.get(Self.path)
        #expect(page.html.contains("/__/auth/handler") && page.html.contains("Test this provider"))
        let tested = try await owner.post(Self.path, [("do", "test")])
        #expect(tested.status == 200 && tested.html.contains("usable keys"))
        #expect(tested.html.contains("badge positive"))
        // The test's clock is not that of the provider.
        #expect(tested.html.contains("badge negative") && tested.html.contains("ID tokens would be refused"))
        // Nothing is configured there, or it is switched off.
        for id in ["github.com", "oidc.off"] {
            #expect(try await owner.post("/console/providers/\(id)", [("do", "test")]).status == 400)
        }
        for role in [OperatorRole.support, .viewer] {
            let other = try await ConsoleClient.enroll(server, role: role)
            #expect(try await !other.get(Self.path).html.contains("Test this provider"))
            #expect(try await other.post(Self.path, [("do", "test")]).status == 403)
        }
    }

    @Test("the end of a certificate is shown, and Apple's key is set and never shown")
    func expiry() async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        let owner = try await ConsoleClient.enroll(server)
        let saml: JSONValue = [
            "enabled": true,
            "idpConfig": [
                "idpEntityId": "idp", "ssoUrl": "https://idp.example.com/sso",
                "idpCertificates": [["x509Certificate": .string(try FakeAuthority.trusted.get().pem)]],
            ],
            "spConfig": ["spEntityId": "sp", "callbackUri": "https://app.example.com/__/auth/handler"],
        ]
        let made = try await server.admin("POST", "/inboundSamlConfigs?inboundSamlConfigId=saml.corp", saml)
        #expect(made.status == 200, "\(made.json.text)")
        let page = try await owner.get("/console/providers/saml.corp")
        #expect(page.html.contains("certificate is valid until") && page.html.contains("<time datetime="))
        #expect(page.html.contains("Test this provider"))

        let key = P256.Signing.PrivateKey().pemRepresentation
        let member = "appleSignInConfig.codeFlowConfig."
        let fields = [
            ("enabled", "on"), ("clientId", "com.example.web"), (member + "teamId", "TEAM"), (member + "keyId", "KEY1"),
            ("appleSignInConfig.bundleIds", "com.example.app"), (member + "privateKey", key.replacing("\n", with: "\r\n")),
        ]
        let saved = try await owner.save("/console/providers/apple.com", fields)
        #expect(saved.status == 303, "\(saved.html)")
        let apple = try await owner.get("/console/providers/apple.com")
        #expect(apple.html.contains("KEY1") && !apple.html.contains("PRIVATE KEY--"))
        #expect(apple.html.contains("Does not expire"))
        #expect(try await !server.storedText().contains("PRIVATE KEY"))
    }
}
