import Foundation
import Project
import SAMLTestKit
import TestKit
import Testing

@testable import Server

@Suite("SAML with pysaml2's identity provider in a real browser", .teardown, .timeLimit(.minutes(15)))
struct SAMLPeerTests {
    @Test(
        "its metadata configures the provider, ours configures it, and users sign in by popup and redirect",
        arguments: [["--sign", "both"], ["--want-signed", "--sign", "response"]]
    )
    func signIn(arguments: [String]) async throws {
        let directory = try await makeTemporaryDirectory()
        let app = try await AppPages.start()
        let stage = try await SAMLStage.start(gapiScript: app.gapiScript)
        let server = stage.server
        try await stage.useHandler(host: "localhost", ["idpConfig": ["signRequest": true]])
        let own = try await server.client.get("/__/auth/saml/saml.test/metadata")
        let key = try stage.provider.key
        let peer = try await PySAMLServer.start(
            in: directory,
            key: key.privateKey,
            certificate: key.certificate,
            serviceMetadata: Array(own.bytes),
            arguments
        )
        let source: JSONValue = ["metadataUrl": .string(peer.entityID)]
        let path = "/inboundSamlConfigs/saml.test"
        // A provider that is switched on is not exchanged for another one.
        #expect(try await server.admin("POST", "\(path)/metadata", source).status == 400)
        #expect(try await server.admin("PATCH", "\(path)?updateMask=enabled", ["enabled": false]).status == 200)
        let imported = try await server.admin("POST", "\(path)/metadata", source)
        #expect(imported.status == 200, "\(imported.errorMessage ?? "")")
        #expect(try await server.admin("PATCH", "\(path)?updateMask=enabled", ["enabled": true]).status == 200)
        let browser = try await Chromium.start()
        let scene = BrowserStage(app: app, server: server, browser: browser)
        for binding in ["HTTP_REDIRECT", "HTTP_POST"] {
            // The peer has the system's clock.
            let behind = ServerEnvironment.systemClock().seconds - server.clock.now.seconds
            server.clock.advance(by: .seconds(behind))
            let mask = "?updateMask=idpConfig.ssoBinding"
            let body: JSONValue = ["idpConfig": ["ssoBinding": .string(binding)]]
            #expect(try await server.admin("PATCH", "/inboundSamlConfigs/saml.test\(mask)", body).status == 200)
            let page = try await scene.openApp()
            try await page.run("void window.open('\(scene.handler("signInViaPopup", "saml.test"))')")
            let event = try await scene.event(page)
            #expect(event["type"] == "signInViaPopup" && event["error"] == .null, "\(peer.printed)")
            _ = try server.session(try await server.signIn(event: event))
            let second = try await browser.open(scene.handler("signInViaRedirect", "saml.test"))
            let redirected = try await scene.event(second)
            #expect(redirected["error"] == .null)
            _ = try server.session(try await server.signIn(event: redirected))
        }
    }
}
