import Foundation
import Project
import SAMLTestKit
import TestKit
import Testing

@testable import Server

@Suite("SAML with SimpleSAMLphp's identity provider in a real browser", .teardown, .timeLimit(.minutes(15)))
struct SimpleSAMLTests {
    /// A server, SimpleSAMLphp that knows it, and a browser.
    private struct Stage {
        let scene: BrowserStage
        let peer: SimpleSAMLServer

        var server: TestServer { scene.server }

        /// The peer has the system's clock.
        func catchUp() {
            server.clock.advance(by: .seconds(ServerEnvironment.systemClock().seconds - server.clock.now.seconds))
        }

        /// Signs in at the page that asks for name and password.
        func enter(_ page: BrowserPage) async throws {
            try await page.click("#username")
            try await page.type("ada")
            try await page.click("#password")
            try await page.type("engine")
            try await page.click("#submit_button")
        }

        /// Redeems what the app's page gets.
        func redeem(_ page: BrowserPage, _ type: String) async throws -> TestClient.Answer {
            let event = try await scene.event(page)
            #expect(event["type"]?.string == type && event["error"] == .null, "\(event.text) \(peer.printed)")
            let answer = try await server.signIn(event: event)
            _ = try server.session(answer)
            return answer
        }
    }

    private func start(_ options: SimpleSAMLServer.Options) async throws -> Stage {
        let directory = try await makeTemporaryDirectory()
        let app = try await AppPages.start()
        let stage = try await SAMLStage.start(gapiScript: app.gapiScript)
        let server = stage.server
        let signing: JSONValue = ["idpConfig": ["signRequest": .bool(options.wantsSignedRequests)]]
        try await stage.useHandler(host: "localhost", signing)
        let own = try await server.client.get("/__/auth/saml/saml.test/metadata")
        let key = try stage.provider.key
        let peer = try await SimpleSAMLServer.start(
            in: directory,
            key: key.privateKey,
            certificate: key.certificate,
            serviceMetadata: Array(own.bytes),
            options
        )
        let path = "/inboundSamlConfigs/saml.test"
        #expect(try await server.admin("PATCH", "\(path)?updateMask=enabled", ["enabled": false]).status == 200)
        let source: JSONValue = ["metadataUrl": .string(peer.entityID)]
        let imported = try await server.admin("POST", "\(path)/metadata", source)
        #expect(imported.status == 200, "\(imported.errorMessage ?? "") \(peer.printed)")
        #expect(imported["idpConfig"]?["idpEntityId"]?.string == peer.entityID)
        #expect(try await server.admin("PATCH", "\(path)?updateMask=enabled", ["enabled": true]).status == 200)
        let browser = try await Chromium.start()
        return Stage(scene: BrowserStage(app: app, server: server, browser: browser), peer: peer)
    }

    @Test(
        "its metadata configures the provider, ours configures it, and users sign in by popup and redirect, by both bindings",
        arguments: [
            SimpleSAMLServer.Options(signs: ["assertion", "response"], wantsSignedRequests: true),
            SimpleSAMLServer.Options(signs: ["assertion"], wantsSignedRequests: false),
            SimpleSAMLServer.Options(signs: ["response"], wantsSignedRequests: true),
        ]
    )
    func signIn(options: SimpleSAMLServer.Options) async throws {
        let stage = try await start(options)
        for binding in ["HTTP_REDIRECT", "HTTP_POST"] {
            stage.catchUp()
            let mask = "?updateMask=idpConfig.ssoBinding"
            let body: JSONValue = ["idpConfig": ["ssoBinding": .string(binding)]]
            #expect(try await stage.server.admin("PATCH", "/inboundSamlConfigs/saml.test\(mask)", body).status == 200)
            let page = try await stage.scene.openApp()
            let address = stage.scene.handler("signInViaPopup", "saml.test")
            if binding == "HTTP_REDIRECT" {
                try await stage.enter(try await stage.scene.popup(page, address))
            } else {
                // The provider has a session by now, and asks for nothing.
                try await page.run("void window.open('\(address)')")
            }
            let answer = try await stage.redeem(page, "signInViaPopup")
            #expect(answer["federatedId"] == "u-1815" && answer["displayName"] == "Ada Lovelace")
            stage.catchUp()
            let redirected = try await stage.scene.browser.open(stage.scene.handler("signInViaRedirect", "saml.test"))
            _ = try await stage.redeem(redirected, "signInViaRedirect")
        }
    }

    @Test("a user who has a session there types the password again to reauthenticate")
    func reauthentication() async throws {
        let options = SimpleSAMLServer.Options(signs: ["assertion"], wantsSignedRequests: true)
        let stage = try await start(options)
        stage.catchUp()
        let redirected = try await stage.scene.browser.open(stage.scene.handler("signInViaRedirect", "saml.test"))
        try await stage.enter(redirected)
        let first = try await stage.redeem(redirected, "signInViaRedirect")
        stage.catchUp()
        let page = try await stage.scene.openApp()
        try await stage.enter(try await stage.scene.popup(page, stage.scene.handler("reauthViaPopup", "saml.test")))
        let second = try await stage.redeem(page, "reauthViaPopup")
        #expect(second["localId"] == first["localId"] && second["isNewUser"] == false)
    }
}
