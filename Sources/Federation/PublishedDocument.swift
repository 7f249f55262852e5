import Project

/// A JSON document that a provider publishes for everybody: of itself, or its keys.
struct PublishedDocument: Sendable {
    /// A JSON object.
    let content: JSONValue
    /// The answer that it came in.
    let answer: OutboundHTTP.Response

    /// Fetches a document.
    ///
    /// - Parameters:
    ///   - url: Where it is.
    ///   - http: The way there.
    /// - Returns: The document.
    /// - Throws: ``KeySetFetcher/Invalid``, `OutboundError`.
    static func fetch(_ url: String, over http: OutboundHTTP) async throws -> PublishedDocument {
        let answer = try await http(.init(url: url, headers: [("Accept", "application/json")]))
        guard answer.status == 200 else { throw KeySetFetcher.Invalid.status(answer.status) }
        guard let content = try? JSONValue.parse(answer.body), content.object != nil else { throw KeySetFetcher.Invalid.json }
        return PublishedDocument(content: content, answer: answer)
    }

    /// Where an issuer publishes what it says of itself (OpenID Connect Discovery 1.0 §4).
    static func discoveryURL(of issuer: String) -> String {
        (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
    }
}
