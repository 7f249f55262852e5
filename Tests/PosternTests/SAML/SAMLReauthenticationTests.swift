import Foundation
import Project
import SAMLTestKit
import TestKit
import Testing

@Suite("Reauthentication at a SAML provider", .teardown, .timeLimit(.minutes(15)))
struct SAMLReauthenticationTests {
    private static let refusal =
        "INVALID_IDP_RESPONSE : The user did not sign in anew at the identity provider, as the request demanded."

    /// A provider that answers from a session of some age.
    private func form(_ stage: SAMLStage, _ visit: SAMLStage.Visit, sessionAge: Int64) throws -> String {
        let instant = (stage.server.clock.now - .seconds(sessionAge)).rfc3339
        return try stage.form(visit) { $0.assertion?.authnInstant = instant }
    }

    @Test(
        "through the web handler demands a new sign-in and accepts no older one; a first sign-in takes a session",
        arguments: ["reauthViaPopup", "reauthViaRedirect", "signInViaPopup", "linkViaRedirect"],
        ["HTTP_REDIRECT", "HTTP_POST"]
    )
    func handler(authType: String, binding: String) async throws {
        let isDemanded = authType.hasPrefix("reauth")
        let stage = try await SAMLStage.start()
        try await stage.useHandler("saml.test", ["idpConfig": ["ssoBinding": .string(binding), "signRequest": true]])
        for (age, isAccepted) in [(Int64(60), true), (61, !isDemanded)] {
            var browser = HandlerBrowser(server: stage.server)
            let began = try await browser.open(HandlerBrowser.web(authType, "saml.test", eventID: "1234567890"))
            let location = try #require(began.header("Location"))
            let request =
                binding == "HTTP_POST"
                ? try await posted(location, stage, &browser) : try SAMLTestRequest(redirect: location)
            #expect(request.forceAuthn == isDemanded)
            let visit = SAMLStage.Visit(request: request, relayState: try #require(request.relayState), sessionID: nil)
            let page = try await browser.carryPosted(try form(stage, visit, sessionAge: age))
            let answer = try await stage.server.signIn(event: page.event)
            if isAccepted { _ = try stage.server.session(answer) } else { #expect(answer.errorMessage == Self.refusal) }
        }
    }

    private func posted(
        _ location: String,
        _ stage: SAMLStage,
        _ browser: inout HandlerBrowser
    ) async throws -> SAMLTestRequest {
        let path = String(location.dropFirst("http://127.0.0.1:\(stage.server.port)".count))
        let html = try await browser.send("GET", path, body: nil).page.html
        func field(_ name: String) throws -> String {
            let pattern = try Regex<(Substring, Substring)>("name=\"\(name)\" value=\"([^\"]*)\"")
            return String(try #require(try pattern.firstMatch(in: html)).1).replacing("&#43;", with: "+")
        }
        return try SAMLTestRequest(form: try field("SAMLRequest"), relayState: try field("RelayState"))
    }

    @Test("by createAuthUri demands it where the client says prompt=login")
    func customParameter() async throws {
        let stage = try await SAMLStage.start()
        for (prompt, isDemanded) in [("login", true), ("consent", false)] {
            for (age, isAccepted) in [(Int64(60), true), (61, !isDemanded)] {
                let visit = try await stage.begin("saml.test", ["customParameter": ["prompt": .string(prompt)]])
                #expect(visit.request.forceAuthn == isDemanded)
                let answer = try await stage.complete(try form(stage, visit, sessionAge: age), visit)
                if isAccepted { _ = try stage.server.session(answer) } else { #expect(answer.errorMessage == Self.refusal) }
            }
        }
    }

    @Test("is refused although a browser took the demand out of a request without a signature")
    func strippedDemand() async throws {
        let stage = try await SAMLStage.start()
        try await stage.useHandler()
        var browser = HandlerBrowser(server: stage.server)
        let began = try await browser.open(HandlerBrowser.web("reauthViaPopup", "saml.test", eventID: "1234567890"))
        var request = try SAMLTestRequest(redirect: try #require(began.header("Location")))
        request.forceAuthn = false
        let visit = SAMLStage.Visit(request: request, relayState: try #require(request.relayState), sessionID: nil)
        let page = try await browser.carryPosted(try form(stage, visit, sessionAge: 3600))
        #expect(try await stage.server.signIn(event: page.event).errorMessage == Self.refusal)
    }
}
