import Foundation
import Project
import SAMLTestKit
import TestKit
import Testing

/// A SAML provider's page, which posts its response when its user presses a button.
struct SAMLProviderPage {
    let service: LoopbackService
    let stage: SAMLStage

    /// Answers requests of both bindings from now on.
    func serve() {
        let stage = stage
        service.reply { call in
            do {
                let query = call.path + (call.query.isEmpty ? "" : "?" + call.query)
                let fields = call.form
                let request =
                    try call.method == "POST"
                    ? SAMLTestRequest(form: fields["SAMLRequest"] ?? "", relayState: fields["RelayState"])
                    : SAMLTestRequest(redirect: "http://idp.example" + query)
                let visit = SAMLStage.Visit(request: request, relayState: request.relayState ?? "", sessionID: nil)
                let pairs = FormEncoding.pairs(Substring(try stage.form(visit)).utf8)
                let inputs = pairs.map { "<input type=\"hidden\" name=\"\($0.name)\" value=\"\($0.value)\">" }.joined()
                let html = """
                    <!DOCTYPE html><title>Provider</title><form method="post" action="\(request.assertionConsumerURL)">\(inputs)\
                    <button id="sign-in">Sign in</button></form>
                    """
                return .init(headers: [("Content-Type", "text/html")], body: Array(html.utf8))
            } catch {
                return .init(500, json: [:])
            }
        }
    }
}

@Suite("SAML in a real browser", .teardown, .timeLimit(.minutes(15)))
struct SAMLBrowserTests {
    @Test("a popup and a redirect sign in, by both bindings", arguments: ["HTTP_REDIRECT", "HTTP_POST"])
    func signIn(binding: String) async throws {
        let service = try await LoopbackService.start()
        let app = try await AppPages.start()
        let stage = try await SAMLStage.start(gapiScript: app.gapiScript)
        try await stage.useHandler(
            host: "localhost",
            ["idpConfig": ["ssoBinding": .string(binding), "ssoUrl": .string(service.origin + "/sso"), "signRequest": true]]
        )
        SAMLProviderPage(service: service, stage: stage).serve()
        let browser = try await Chromium.start()
        let scene = BrowserStage(app: app, server: stage.server, browser: browser)
        let page = try await scene.openApp()
        let popup = try await scene.popup(page, scene.handler("signInViaPopup", "saml.test"))
        try await popup.click("#sign-in")
        let event = try await scene.event(page)
        #expect(event["type"] == "signInViaPopup" && event["error"] == .null)
        let answer = try await stage.server.signIn(event: event)
        _ = try stage.server.session(answer)
        #expect(answer["providerId"] == "saml.test")
        let redirected = try await browser.open(scene.handler("signInViaRedirect", "saml.test"))
        try await redirected.click("#sign-in")
        let second = try await scene.event(redirected)
        #expect(second["type"] == "signInViaRedirect" && second["error"] == .null)
        _ = try stage.server.session(try await stage.server.signIn(event: second))
        #expect(browser.problems.isEmpty)
    }
}
