import Project
import SAML
import SAMLTestKit

/// One flow with its provider, and the verification of what the provider answers.
struct Scene: Sendable {
    static let provider = Result { try SAMLTestProvider() }
    static let otherKey = Result { try SAMLTestKey() }
    static let ellipticKey = Result { try SAMLTestKey(.ec) }
    static let serviceKey = Result { try SAMLTestKey(name: "sp.example") }
    static let verifier = SAMLVerifier(threads: 2, waiting: 10_000)
    static let now = Timestamp(seconds: 1_900_000_000)

    var provider: SAMLTestProvider
    var expectation: SAMLExpectation
    let request = SAMLTestRequest(
        id: "_4fee3b046395c4e751011e97f8900b5273d56685",
        issuer: "https://sp.example/metadata",
        assertionConsumerURL: "https://sp.example/__/auth/handler"
    )

    init() throws {
        provider = try Self.provider.get()
        expectation = SAMLExpectation(
            identityProvider: provider.entityID,
            certificates: [provider.certificate],
            serviceProvider: request.issuer,
            assertionConsumerURL: request.assertionConsumerURL,
            requestID: request.id,
            requestedAt: Self.now - .seconds(30),
            now: Self.now
        )
    }

    static let nameID = "ada@example.com"
    static let attributes = [(name: "email", values: ["ada@example.com"]), (name: "groups", values: ["readers", "writers"])]

    /// The honest answer in parts.
    var answer: SAMLTestResponse { provider.answer(to: request, nameID: Self.nameID, attributes: Self.attributes, now: Self.now) }

    /// The answer, changed before it is signed.
    func response(_ change: (inout SAMLTestResponse) -> Void = { _ in }) throws -> String {
        var answer = answer
        change(&answer)
        return try answer.element(by: provider.key).canonical
    }

    /// What the verifier says of a document: `nil` when it accepts it.
    func refusal(of xml: String) async throws -> SAMLRefusal? { try await refusal(of: Array(xml.utf8)) }

    func refusal(of xml: [UInt8]) async throws -> SAMLRefusal? {
        do {
            _ = try await accept(xml)
            return nil
        } catch let refusal as SAMLRefusal { return refusal }
    }

    /// What the verifier says of the answer, changed before it is signed.
    func refusal(_ change: (inout SAMLTestResponse) -> Void) async throws -> SAMLRefusal? {
        try await refusal(of: response(change))
    }

    func accept(_ xml: String) async throws -> SAMLAssertion { try await accept(Array(xml.utf8)) }

    func accept(_ xml: [UInt8]) async throws -> SAMLAssertion {
        try await Self.verifier.assertion(in: xml, expecting: expectation)
    }

    /// A time as documents write it.
    static func time(_ seconds: Int64) -> String { now.advanced(by: .seconds(seconds)).rfc3339 }
}
