import Foundation
import Project
import SAML
import SAMLTestKit
import Testing

@Suite("Requests and the service provider's metadata") struct RequestTests {
    private func request(destination: String = "https://idp.example/sso", format: String? = nil, force: Bool = false)
        -> AuthnRequest
    {
        AuthnRequest(
            issuer: "https://sp.example/a&b\"<é>",
            destination: destination,
            assertionConsumerURL: "https://sp.example/__/auth/handler",
            nameIDFormat: format,
            forceAuthn: force,
            issueInstant: Scene.now
        )
    }

    @Test("ids have 160 random bits and begin as XML wants") func ids() {
        let ids = (0..<100).map { _ in AuthnRequest.randomID() }
        #expect(Set(ids).count == 100)
        #expect(ids.allSatisfy { $0.wholeMatch(of: /_[0-9a-f]{40}/) != nil })
    }

    @Test("by redirect, unsigned and signed") func redirect() throws {
        let key = try Scene.serviceKey.get()
        let request = request(format: NameIDFormat.emailAddress, force: true)
        let plain = try SAMLTestRequest(redirect: request.redirectURL(relayState: "a b&c=d+é", signingKey: nil))
        #expect(plain.id == request.id)
        #expect(plain.issuer == request.issuer)
        #expect(plain.assertionConsumerURL == request.assertionConsumerURL)
        #expect(plain.destination == request.destination)
        #expect(plain.relayState == "a b&c=d+é")
        #expect(plain.nameIDFormat == NameIDFormat.emailAddress)
        #expect(plain.forceAuthn)
        #expect(!plain.isSigned)
        let url = try request.redirectURL(relayState: "state", signingKey: key.privateKey)
        #expect(try SAMLTestRequest(redirect: url, certificate: key.certificate).isSigned)
        let other = try Scene.otherKey.get().certificate
        #expect(throws: SAMLTestRequest.Unreadable.self) { _ = try SAMLTestRequest(redirect: url, certificate: other) }
        let changed = url.replacing("RelayState=state", with: "RelayState=other")
        #expect(throws: SAMLTestRequest.Unreadable.self) {
            _ = try SAMLTestRequest(redirect: changed, certificate: key.certificate)
        }
    }

    @Test(
        "addresses that have a query already",
        arguments: [
            ("https://idp.example/sso", "https://idp.example/sso?SAMLRequest="),
            ("https://idp.example/sso?idpid=1", "https://idp.example/sso?idpid=1&SAMLRequest="),
            ("https://idp.example/sso?", "https://idp.example/sso?SAMLRequest="),
            ("https://idp.example/sso#x", "https://idp.example/sso?SAMLRequest="),
        ]
    ) func query(_ destination: String, _ start: String) throws {
        #expect(try request(destination: destination).redirectURL(relayState: "s", signingKey: nil).hasPrefix(start))
    }

    @Test("by post, unsigned and signed") func post() throws {
        let key = try Scene.serviceKey.get()
        let request = request()
        let plain = try request.form(relayState: "state", signingKey: nil, certificate: nil)
        let read = try SAMLTestRequest(form: plain.samlRequest, relayState: plain.relayState)
        #expect(read.id == request.id)
        #expect(read.nameIDFormat == nil)
        #expect(!read.forceAuthn)
        let form = try request.form(relayState: "state", signingKey: key.privateKey, certificate: key.certificate)
        let signed = try SAMLTestRequest(form: form.samlRequest, relayState: form.relayState, certificate: key.certificate)
        #expect(signed.isSigned)
        #expect(signed.issuer == request.issuer)
        let other = try Scene.otherKey.get().certificate
        #expect(throws: SAMLTestRequest.Unreadable.self) {
            _ = try SAMLTestRequest(form: form.samlRequest, relayState: nil, certificate: other)
        }
    }

    @Test("keys and texts that cannot be used") func unusable() throws {
        let request = request()
        #expect(throws: SAMLRequestError.key) { _ = try request.redirectURL(relayState: "", signingKey: "no key") }
        #expect(throws: SAMLRequestError.key) { _ = try request.form(relayState: "", signingKey: "no key", certificate: "none") }
        #expect(throws: SAMLRequestError.text) {
            _ = try self.request(destination: "a\u{1}").redirectURL(relayState: "", signingKey: nil)
        }
    }

    @Test("the service provider's metadata") func metadata() throws {
        let (key, next) = (try Scene.serviceKey.get(), try Scene.otherKey.get())
        var metadata = ServiceProviderMetadata(
            entityID: "https://sp.example/a&b",
            assertionConsumerURLs: ["https://sp.example/__/auth/handler", "https://app.example/__/auth/handler"],
            certificates: [key.certificate, next.certificate],
            signsRequests: true,
            validUntil: Scene.now
        )
        let text = String(decoding: try metadata.xml(), as: UTF8.self)
        #expect(text.contains("entityID=\"https://sp.example/a&amp;b\""))
        #expect(text.contains("AuthnRequestsSigned=\"true\""))
        #expect(text.contains("validUntil=\"2030-03-17T17:46:40"))
        #expect(text.contains(next.certificateText))
        #expect(text.ranges(of: key.certificateText).count == 2)
        let services = text.split(separator: "<md:AssertionConsumerService ").dropFirst().map(String.init)
        #expect(services.count == 2)
        #expect(services[0].contains("https://sp.example/") && services[0].contains("index=\"0\" isDefault=\"true\""))
        #expect(services[1].contains("https://app.example/") && services[1].contains("index=\"1\"/>"))
        // It describes no identity provider.
        #expect(throws: SAMLRefusal.notMetadata) { _ = try IdentityProviderMetadata(xml: metadata.xml(), now: Scene.now) }
        metadata.certificates = ["none"]
        #expect(throws: SAMLRequestError.key) { _ = try metadata.xml() }
    }
}
