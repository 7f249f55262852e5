import Foundation
import Project
import SAML
import SAMLTestKit
import TestKit
import Testing

@Suite("pysaml2's identity provider") struct PySAMLTests {
    private static let service = "https://sp.example/metadata"
    private static let consumer = "https://sp.example/__/auth/handler"

    /// Requests that we write, and what pysaml2 makes of them.
    private func signIn(
        _ arguments: [String],
        signed: Bool = true,
        _ check: (_ page: String, _ expectation: SAMLExpectation) async throws -> Void
    ) async throws {
        let (provider, service) = (try Scene.provider.get().key, try Scene.serviceKey.get())
        let metadata = try ServiceProviderMetadata(
            entityID: Self.service,
            assertionConsumerURLs: ["https://other.example/__/auth/handler", Self.consumer],
            certificates: [service.certificate],
            signsRequests: signed
        ).xml()
        try await withTemporaryDirectory { directory in
            let server = try await PySAMLServer.start(
                in: directory,
                key: provider.privateKey,
                certificate: provider.certificate,
                serviceMetadata: metadata,
                arguments
            )
            let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
            let document = Array(try await fetch(server.entityID).utf8)
            let imported = try await Scene.verifier.metadata(in: document, now: now)
            #expect(imported.entityID == server.entityID)
            let request = AuthnRequest(
                issuer: Self.service,
                destination: try #require(imported.singleSignOn.first { $0.binding == SAMLBinding.redirect }).url,
                assertionConsumerURL: Self.consumer,
                nameIDFormat: NameIDFormat.emailAddress,
                issueInstant: now
            )
            let url = try request.redirectURL(relayState: "state&more", signingKey: signed ? service.privateKey : nil)
            let expectation = SAMLExpectation(
                identityProvider: imported.entityID,
                certificates: imported.certificates,
                serviceProvider: Self.service,
                assertionConsumerURL: Self.consumer,
                requestID: request.id,
                requestedAt: now,
                decryptionKeys: [service.privateKey],
                now: Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
            )
            try await check(fetch(url), expectation)
        }
    }

    private func fetch(_ url: String) async throws -> String {
        String(decoding: try await TestClient("").get(url).bytes, as: UTF8.self)
    }

    private func response(in page: String) throws -> [UInt8] {
        let field = try #require(page.firstMatch(of: /name="SAMLResponse" value="([^"]+)"/))
        #expect(page.contains("state&amp;more"))
        return Array(try #require(Data(base64Encoded: String(field.1))))
    }

    @Test("reads our metadata and signed requests, and we its own and its answers", arguments: ["assertion", "response", "both"])
    func signIn(_ signed: String) async throws {
        try await signIn(["--sign", signed, "--want-signed"]) { page, expectation in
            let assertion = try await Scene.verifier.assertion(in: response(in: page), expecting: expectation)
            #expect(assertion.nameID == "ada@example.com")
            #expect(assertion.nameIDFormat == NameIDFormat.emailAddress)
            #expect(assertion.values("urn:oid:2.5.4.42") == ["Ada"])
        }
    }

    @Test("refuses our unsigned request where it wants a signed one") func unsigned() async throws {
        try await signIn(["--want-signed"], signed: false) { page, _ in #expect(!page.contains("SAMLResponse")) }
    }

    @Test("is refused with SHA-1, and with the cipher that it encrypts by") func old() async throws {
        try await signIn(["--sha1"]) { page, expectation in
            let response = try response(in: page)
            await #expect(throws: SAMLRefusal.sha1) { try await Scene.verifier.assertion(in: response, expecting: expectation) }
        }
        try await signIn(["--encrypt"]) { page, expectation in
            let response = try response(in: page)
            await #expect(throws: SAMLRefusal.contentEncryption) {
                try await Scene.verifier.assertion(in: response, expecting: expectation)
            }
        }
    }
}
