import Project

/// A public JSON document of a provider: its metadata or its keys.
struct PublishedDocument: Sendable {
    /// The document, which is a JSON object.
    let content: JSONValue
    /// The HTTP answer that contained it.
    let answer: OutboundHTTP.Response

    /// Fetches a document.
    static func fetch(_ url: String, over http: OutboundHTTP) async throws -> PublishedDocument {
        let answer = try await http(.init(url: url, headers: [("Accept", "application/json")]))
        guard answer.status == 200 else { throw KeySetFetcher.Invalid.status(answer.status) }
        guard let content = try? answer.json(), content.object != nil else { throw KeySetFetcher.Invalid.json }
        return PublishedDocument(content: content, answer: answer)
    }

    /// The URL of an issuer's discovery document (OpenID Connect Discovery 1.0 §4).
    static func discoveryURL(of issuer: String) -> String {
        (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
    }
}
