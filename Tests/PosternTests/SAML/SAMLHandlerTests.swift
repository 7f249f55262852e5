import Accounts
import Foundation
import Project
import SAML
import SAMLTestKit
import Storage
import TestKit
import Testing

@testable import Server

@Suite("SAML through the web handler", .teardown, .timeLimit(.minutes(15)))
struct SAMLHandlerTests {
    private func visit(_ location: String?) throws -> SAMLStage.Visit {
        let request = try SAMLTestRequest(redirect: try #require(location))
        return SAMLStage.Visit(request: request, relayState: try #require(request.relayState), sessionID: nil)
    }

    @Test("a response that comes from another site without the cookie signs in, once, and only in its browser")
    func popup() async throws {
        let stage = try await SAMLStage.start()
        try await stage.useHandler()
        var browser = HandlerBrowser(server: stage.server)
        let start = HandlerBrowser.web("signInViaPopup", "saml.test", eventID: "1234567890")
        let began = try await browser.open(start)
        #expect(began.status == 303)
        let visit = try visit(began.header("Location"))
        let answer = try stage.form(visit)
        var stranger = HandlerBrowser(server: stage.server)
        #expect(try await stranger.carryPosted(answer).status == 400)
        let page = try await browser.carryPosted(answer)
        #expect(page.event["type"] == "signInViaPopup" && page.event["eventId"] == "1234567890")
        #expect(page.event["error"] == .null)
        #expect(!page.event.text.contains("SAMLResponse"))
        let signedIn = try await stage.server.signIn(event: page.event)
        _ = try stage.server.session(signedIn)
        #expect(signedIn["pendingToken"] != nil)
        #expect(try await browser.carryPosted(answer).status == 400)
    }

    @Test("a response with all the groups of a user signs in, up to what the page takes")
    func longResponse() async throws {
        let stage = try await SAMLStage.start()
        try await stage.useHandler()
        var browser = HandlerBrowser(server: stage.server)
        let start = HandlerBrowser.web("signInViaPopup", "saml.test", eventID: "1")
        for groups in [30, 50, 80] {
            let visit = try visit(try await browser.open(start).header("Location"))
            let values = (0..<groups).map { "group-\($0)-" + String(repeating: "g", count: 1000) }
            let answer = try stage.form(visit, attributes: [(name: "groups", values: values)])
            #expect(answer.utf8.count <= 1 << 17 && answer.utf8.count > groups * 1300)
            let page = try await browser.carryPosted(answer)
            _ = try stage.server.session(try await stage.server.signIn(event: page.event))
        }
    }

    @Test("long answers count as further sign-ins that a network begins, so that strangers do not fill the store (RES-05)")
    func floods() async throws {
        let stage = try await SAMLStage.start()
        try await stage.useHandler()
        var browser = HandlerBrowser(server: stage.server)
        let start = HandlerBrowser.web("signInViaPopup", "saml.test", eventID: "1")
        let visit = try visit(try await browser.open(start).header("Location"))
        let (now, scope) = (stage.server.clock.now, Scope(projectID: "demo-test"))
        // Six more of this network's are left, and the long answer is one of eight.
        try await stage.server.core.database.write { transaction in
            for _ in 0..<(Throttle.flowsPerAddressPerHour - 7) {
                let bucket = "flows:from:7f000001"
                _ = try transaction.countThrottle(scope, bucket: bucket, at: now, window: .fixed(.seconds(3600)))
            }
        }
        let values = [String(repeating: "g", count: 90_000)]
        let long = try stage.form(visit, attributes: [(name: "groups", values: values)])
        #expect(long.utf8.count > 7 << 14)
        #expect(try await browser.carryPosted(long).status == 400)
        // The sign-in goes on with a usual answer, which does not count.
        let page = try await browser.carryPosted(try stage.form(visit))
        _ = try stage.server.session(try await stage.server.signIn(event: page.event))
    }

    @Test("an app on iOS gets its URL, and redeems it with the session id that only it knows")
    func native() async throws {
        let stage = try await SAMLStage.start()
        try await stage.useHandler()
        var browser = HandlerBrowser(server: stage.server)
        let visit = try visit(try await browser.open(HandlerBrowser.ios("saml.test")).header("Location"))
        let answer = try stage.form(visit)
        let page = try await browser.carryPosted(answer)
        let callback = try #require(page.iosCallback)
        #expect(callback.parameters["firebaseError"] == nil)
        let event: JSONValue = ["urlResponse": .string(callback.parameters["link"] ?? "")]
        let hash = hexadecimal(sha256(HandlerBrowser.rawSession.utf8))
        expectRefused(try await stage.server.signIn(event: event, sessionID: hash))
        _ = try stage.server.session(try await stage.server.signIn(event: event, sessionID: HandlerBrowser.rawSession))
    }

    @Test("requests are posted by a page of ours where the provider takes forms, signed by the key of the metadata")
    func posted() async throws {
        let stage = try await SAMLStage.start()
        try await stage.useHandler("saml.test", ["idpConfig": ["ssoBinding": "HTTP_POST", "signRequest": true]])
        var browser = HandlerBrowser(server: stage.server)
        let began = try await browser.open(HandlerBrowser.web("signInViaPopup", "saml.test", eventID: "1"))
        let location = try #require(began.header("Location"))
        let path = try #require(URLComponents(string: location)?.percentEncodedPath)
        #expect(path == "/__/auth/saml/request")
        let origin = "http://127.0.0.1:\(stage.server.port)"
        #expect(location.hasPrefix(origin))
        let page = try await browser.send("GET", String(location.dropFirst(origin.count)), body: nil)
        #expect(page.status == 200 && page.data["kind"] == "submit")
        let policy = try #require(page.header("Content-Security-Policy"))
        #expect(policy.contains("form-action https:;"))
        func field(_ name: String) throws -> String {
            let pattern = try Regex<(Substring, Substring)>("name=\"\(name)\" value=\"([^\"]*)\"")
            return String(try #require(try pattern.firstMatch(in: page.page.html)).1).replacing("&#43;", with: "+")
        }
        #expect(page.page.html.contains("action=\"https://idp.example/sso?tenant=1\""))
        let config = try await stage.server.admin("GET", "/inboundSamlConfigs/saml.test")
        let certificate = try #require(config["spConfig"]?["spCertificates"]?[0]?["x509Certificate"]?.string)
        let request = try SAMLTestRequest(
            form: try field("SAMLRequest"),
            relayState: try field("RelayState"),
            certificate: certificate
        )
        #expect(request.isSigned)
        let visit = SAMLStage.Visit(request: request, relayState: try field("RelayState"), sessionID: nil)
        let answer = try stage.form(visit)
        _ = try stage.server.session(try await stage.server.signIn(event: try await browser.carryPosted(answer).event))
        // The flow is over, and so is its page.
        let over = try await browser.send("GET", "/__/auth/saml/request?RelayState=\(visit.relayState)", body: nil)
        #expect(over.status == 400)
    }

    @Test("no browser is sent away whose response would go elsewhere")
    func elsewhere() async throws {
        let stage = try await SAMLStage.start()
        var browser = HandlerBrowser(server: stage.server)
        let page = try await browser.open(HandlerBrowser.web("signInViaPopup", "saml.test", eventID: "1"))
        #expect(page.event["error"]?["code"] == "auth/operation-not-allowed")
    }
}
