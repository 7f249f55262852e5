import Project
import SAML
import SAMLTestKit
import Testing

@Suite("Identity providers' metadata") struct ProviderMetadataTests {
    private let provider: SAMLTestProvider
    private let document: String

    init() throws {
        provider = try Scene.provider.get()
        document = provider.metadata(singleSignOn: "https://idp.example/sso?a=1&b=2")
    }

    private func read(_ text: String, now: Timestamp = Scene.now) throws -> IdentityProviderMetadata {
        try IdentityProviderMetadata(xml: Array(text.utf8), now: now)
    }

    private func refusal(_ text: String, now: Timestamp = Scene.now) throws -> SAMLRefusal? {
        do {
            _ = try read(text, now: now)
            return nil
        } catch let refusal as SAMLRefusal { return refusal }
    }

    private func group(_ documents: String...) -> String {
        "<md:EntitiesDescriptor xmlns:md=\"urn:oasis:names:tc:SAML:2.0:metadata\">\(documents.joined())</md:EntitiesDescriptor>"
    }

    @Test("is read, and its certificates verify what the provider signs") func read() async throws {
        let metadata = try await Scene.verifier.metadata(in: Array(document.utf8), now: Scene.now)
        #expect(metadata.entityID == provider.entityID)
        #expect(
            metadata.singleSignOn == [
                .init(binding: SAMLBinding.redirect, url: "https://idp.example/sso?a=1&b=2"),
                .init(binding: SAMLBinding.post, url: "https://idp.example/sso?a=1&b=2"),
            ]
        )
        #expect(!metadata.wantsSignedRequests)
        #expect(metadata.validUntil == nil)
        var scene = try Scene()
        scene.expectation.certificates = metadata.certificates
        #expect(try await scene.refusal { _ in } == nil)
    }

    @Test("alone in a group, beside service providers") func group() throws {
        #expect(try read(group(document)).entityID == provider.entityID)
        #expect(try refusal(group(document, document)) == .severalProviders)
        #expect(try refusal(group()) == .notMetadata)
    }

    @Test("with wishes and an end") func wishes() async throws {
        let wishing = document.replacing("<md:IDPSSODescriptor ", with: "<md:IDPSSODescriptor WantAuthnRequestsSigned=\"true\" ")
        #expect(try read(wishing).wantsSignedRequests)
        let ending = document.replacing("entityID=", with: "validUntil=\"\(Scene.now.rfc3339)\" entityID=")
        #expect(try read(ending, now: Scene.now - .seconds(1)).validUntil == Scene.now)
        #expect(try refusal(ending, now: Scene.now) == .metadataExpired)
        #expect(try refusal(ending, now: Scene.now - .seconds(1)) == nil)
        let role = document.replacing("<md:IDPSSODescriptor ", with: "<md:IDPSSODescriptor validUntil=\"\(Scene.time(-1))\" ")
        #expect(try refusal(role) == .metadataExpired)
        let outer = group(document).replacing("xmlns:md=", with: "validUntil=\"\(Scene.time(-1))\" xmlns:md=", maxReplacements: 1)
        #expect(try refusal(outer) == .metadataExpired)
        await #expect(throws: SAMLRefusal.metadataExpired) {
            try await Scene.verifier.metadata(in: Array(ending.utf8), now: Scene.now)
        }
    }

    @Test("with comments and processing instructions, as federations and generators write them") func remarks() throws {
        let plain = try read(document)
        let key = provider.key.certificateText
        let half = key.index(key.startIndex, offsetBy: key.count / 2)
        let role = "<md:IDPSSODescriptor "
        let remarked = document.replacing(role, with: "<!-- <md:IDPSSODescriptor/> --><?x y?>" + role)
            .replacing(key, with: key[..<half] + "<!-- half --><?x y?>" + key[half...])
        for text in ["<!-- Do not edit. -->", "<?xml-stylesheet href=\"x\"?>", "<!-- \(document.replacing("--", with: "")) -->"] {
            #expect(try read(text + remarked + text) == plain, "\(text)")
            #expect(try read("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + text + remarked) == plain, "\(text)")
        }
        #expect(try refusal("<!-- --><!DOCTYPE a>" + document) == .doctype)
        #expect(try refusal("<!-- -- -->" + document) == .malformed)
    }

    @Test("without what is needed") func lacking() throws {
        #expect(try refusal(document.replacing("md:SingleSignOnService", with: "md:SingleLogoutService")) == .noSingleSignOn)
        #expect(try refusal(document.replacing("bindings:HTTP", with: "bindings:SOAP")) == .noSingleSignOn)
        #expect(try refusal(document.replacing(provider.key.certificateText, with: "AAAA")) == .certificates)
        #expect(try refusal(document.replacing("use=\"signing\"", with: "use=\"encryption\"")) == .certificates)
        #expect(try refusal(document.replacing("use=\"signing\"", with: "")) == nil)
        #expect(try refusal(document.replacing("entityID=\"\(provider.entityID)\"", with: "")) == .notMetadata)
        #expect(try refusal(document.replacing("SAML:2.0:protocol", with: "SAML:1.1:protocol")) == .notMetadata)
    }

    @Test("hostile") func hostile() throws {
        #expect(try refusal("<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>" + document) == .doctype)
        #expect(try refusal(String(repeating: " ", count: 1_100_000) + document) == .tooLarge)
        #expect(try refusal("<html/>") == .notMetadata)
        #expect(try refusal("") == .malformed)
    }
}
