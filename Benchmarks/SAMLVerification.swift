import CSAML
import Foundation
import Project
import SAML
import SAMLTestKit

/// Responses of SAML providers against bare libxmlsec1: the same document parsed, and its one signature verified, with nothing checked and
/// nothing read.
struct SAMLVerification: Sendable {
    let rounds: Int
    let seconds: Int

    /// The bare library refused the document.
    struct Failed: Error {}

    func measure() async throws -> [Report.Line] {
        let provider = try SAMLTestProvider()
        let now = Timestamp(seconds: 1_900_000_000)
        let request = SAMLTestRequest(
            id: AuthnRequest.randomID(),
            issuer: "https://sp.example/metadata",
            assertionConsumerURL: "https://sp.example/__/auth/handler"
        )
        let groups = (0..<20).map { "group-\($0)" }
        let response = Array(
            try provider.respond(
                to: request,
                nameID: "ada@example.com",
                attributes: [("email", ["ada@example.com"]), ("groups", groups)],
                now: now
            ).utf8
        )
        let expectation = SAMLExpectation(
            identityProvider: provider.entityID,
            certificates: [provider.certificate],
            serviceProvider: request.issuer,
            assertionConsumerURL: request.assertionConsumerURL,
            requestID: request.id,
            now: now
        )
        let verifier = SAMLVerifier(threads: ProcessInfo.processInfo.activeProcessorCount, waiting: 100)
        let certificate = Array(provider.certificate.utf8)
        var bare = Double.infinity
        var whole = Double.infinity
        for _ in 0..<rounds {
            bare = min(bare, try await ProcessorTime.bare(seconds: seconds) { try Self.verifyBare(response, certificate) })
            let round = try await ProcessorTime.bare(seconds: seconds) {
                _ = try await verifier.assertion(in: response, expecting: expectation)
            }
            whole = min(whole, round)
        }
        await verifier.shutdown()
        return [
            .bare("libxmlsec1 verification", bare),
            Report.Line(
                name: "SAML response",
                value: Report.Line.milliseconds(whole),
                unit: "ms",
                ratio: whole / bare,
                note: "\(Report.Line.rate(1000 / whole)) per core, \(Report.Line.rate(1000 / bare)) bare"
            ),
        ]
    }

    private static func verifyBare(_ response: [UInt8], _ certificate: [UInt8]) throws {
        var document: xmlDocPtr?
        let bounds = csaml_bounds(depth: 40, parts: 20_000, attributes: 64, skips_remarks: 0)
        guard csaml_prepare() == CSAML_OK, csaml_parse(response, response.count, bounds, &document) == CSAML_OK,
            let document
        else { throw Failed() }
        defer { xmlFreeDoc(document) }
        let assertion = xmlLastElementChild(xmlDocGetRootElement(document))
        let signature = xmlNextElementSibling(xmlFirstElementChild(assertion))
        var bytes = csaml_bytes()
        guard let signature, csaml_verify(signature, certificate, certificate.count, 0, &bytes) == CSAML_OK else {
            throw Failed()
        }
        csaml_free_bytes(bytes)
    }
}
