import Accounts
import Foundation
import Project
import SAMLTestKit
import TestKit
import Testing

@testable import Server

@Suite("SAML providers in the console", .teardown, .timeLimit(.minutes(15)))
struct SAMLScreenTests {
    private static let path = "/console/providers/saml.corp"
    private static let resource = "/inboundSamlConfigs/saml.corp"
    private static let persistent = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"

    @Test("the provider's metadata fills the form, by its text and by its address")
    func metadata() async throws {
        let provider = try SAMLTestProvider(entityID: "https://idp.example/corp")
        let document = provider.metadata(singleSignOn: "https://idp.example/sso")
        let publisher = try await LoopbackService.start()
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        let owner = try await ConsoleClient.enroll(server)
        let empty = try await owner.get(Self.path)
        #expect(empty.html.contains("Import metadata") && empty.html.contains("name=\"metadataUrl\""))
        let made = try await owner.post(Self.path, [("do", "import"), ("metadata", document)])
        #expect(made.status == 303, "\(made.html)")
        let page = try await owner.get(Self.path)
        for value in ["https://idp.example/corp", "https://idp.example/sso", "/__/auth/saml/saml.corp/metadata"] {
            #expect(page.html.contains(value), "\(value)")
        }
        let stored = try await server.admin("GET", Self.resource)
        #expect(stored["enabled"] == false && stored["idpConfig"]?["idpEntityId"]?.string == provider.entityID)
        // The provider has a new key and publishes it.
        let renewed = try SAMLTestProvider(entityID: provider.entityID)
        let text = renewed.metadata(singleSignOn: "https://idp.example/sso2")
        publisher.reply { _ in .init(body: Array(text.utf8)) }
        let address = [("do", "import"), ("metadataUrl", publisher.origin), ("metadata", "")]
        let changed = try await owner.post(Self.path, address)
        #expect(changed.status == 303, "\(changed.html)")
        #expect(try await server.admin("GET", Self.resource)["idpConfig"]?["ssoUrl"] == "https://idp.example/sso2")
        let refused = try await owner.post(Self.path, [("do", "import"), ("metadata", "<a/>")])
        #expect(refused.status == 400 && refused.html.contains("The metadata cannot be used"), "\(refused.html)")
        // Whose keys count is decided by those who may change the configuration.
        for role in [OperatorRole.support, .viewer] {
            let other = try await ConsoleClient.enroll(server, role: role)
            #expect(try await !other.get(Self.path).html.contains("Import metadata"))
            #expect(try await other.post(Self.path, [("do", "import"), ("metadata", document)]).status == 403)
        }
        server.clock.advance(by: .seconds(301))
        let late = try await owner.post(Self.path, [("do", "import"), ("metadata", document)])
        #expect(late.status == 303 && late.location?.hasPrefix("/console/confirm") == true, "\(late.location ?? "")")
        #expect(try await server.admin("GET", Self.resource)["idpConfig"]?["ssoUrl"] == "https://idp.example/sso2")
    }

    @Test("binding, SHA-1 and the kind of NameID are set in the form, and stay when something else is saved")
    func fields() async throws {
        let provider = try SAMLTestProvider(entityID: "https://idp.example/corp")
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        let owner = try await ConsoleClient.enroll(server)
        let usual = [
            ("idpConfig.idpEntityId", provider.entityID), ("idpConfig.ssoUrl", "https://idp.example/sso"),
            ("idpConfig.idpCertificates.0.x509Certificate", provider.certificate), ("spConfig.spEntityId", "sp"),
            ("spConfig.callbackUri", "https://app.example.com/__/auth/handler"),
        ]
        let made = try await owner.save(Self.path, usual + [("idpConfig.ssoBinding", "HTTP_REDIRECT")])
        #expect(made.status == 303, "\(made.html)")
        let first = try await server.admin("GET", Self.resource)["idpConfig"]
        #expect(first?["acceptSha1"]?.bool != true && first?["ssoBinding"]?.string != "HTTP_POST")
        let chosen = [
            ("idpConfig.ssoBinding", "HTTP_POST"), ("idpConfig.acceptSha1", "on"),
            ("idpConfig.nameIdFormat", Self.persistent),
        ]
        #expect(try await owner.save(Self.path, usual + chosen).status == 303)
        let second = try await server.admin("GET", Self.resource)["idpConfig"]
        #expect(second?["ssoBinding"] == "HTTP_POST" && second?["acceptSha1"] == true)
        #expect(second?["nameIdFormat"]?.string == Self.persistent)
        let page = try await owner.get(Self.path)
        #expect(page.html.contains("In a form (HTTP-POST)") && page.html.contains("can be forged with effort"))
        #expect(page.html.contains(Self.persistent))
        #expect(try await owner.save(Self.path, usual + chosen + [("idpConfig.signRequest", "on")]).status == 303)
        let third = try await server.admin("GET", Self.resource)["idpConfig"]
        #expect(third?["signRequest"] == true && third?["ssoBinding"] == "HTTP_POST" && third?["acceptSha1"] == true)
        #expect(try await owner.save(Self.path, usual + [("idpConfig.ssoBinding", "HTTP_ARTIFACT")]).status == 400)
        #expect(try await owner.save(Self.path, usual + [("idpConfig.ssoBinding", "HTTP_REDIRECT")]).status == 303)
        let last = try await server.admin("GET", Self.resource)["idpConfig"]
        #expect(last?["ssoBinding"] == "HTTP_REDIRECT" && last?["acceptSha1"]?.bool != true)
        #expect(last?["nameIdFormat"]?.string?.isEmpty != false)
    }
}
