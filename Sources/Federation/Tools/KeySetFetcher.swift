package import Project
package import Tokens

/// The location of an issuer's keys.
package enum KeySource: Sendable, Hashable, CustomStringConvertible {
    /// In the issuer's discovery document (OpenID Connect Discovery 1.0 §4).
    case discovery(issuer: String)
    /// In a discovery document at another URL that serves many issuers, as Microsoft's does. Its `issuer` is a template.
    case sharedDiscovery(url: String, issuer: String)
    /// At a pinned URL. The issuer's discovery document is not read.
    case pinned(url: String)

    package var description: String {
        switch self {
        case .discovery(let issuer): issuer
        case .sharedDiscovery(let url, _), .pinned(let url): url
        }
    }
}

/// An issuer's usable signature keys.
package struct KeySet: Sendable {
    package let keys: [VerificationKey]
    /// The announced algorithms for ID tokens, without those unknown to Postern; `nil` when the issuer announces none.
    package let announcedAlgorithms: Set<VerificationKey.Algorithm>?
    /// The same for signed user info.
    let announcedForUserInfo: Set<VerificationKey.Algorithm>?

    /// Whether the set has a key of that id. A token without an id accepts any key.
    package func hasKey(_ keyID: String?) -> Bool { keys.contains { keyID == nil || bytesEqual($0.keyID, keyID) } }

    /// Whether a key of the set signed the token, by an algorithm that is announced for ID tokens.
    package func verifies(_ token: CompactJWS) -> Bool { verifies(token, announced: announcedAlgorithms) }

    /// Whether a key of the set signed the token. A token without a key id is tried only against a set of one key per algorithm.
    func verifies(_ token: CompactJWS, announced: Set<VerificationKey.Algorithm>?) -> Bool {
        guard let algorithm = VerificationKey.Algorithm(name: token.algorithm), announced?.contains(algorithm) ?? true
        else { return false }
        let candidates = keys.filter { key in
            key.algorithm == algorithm && (token.keyID == nil || bytesEqual(key.keyID, token.keyID))
                && key.mayServe(token)
        }
        if token.keyID == nil, candidates.count != 1 { return false }
        return candidates.prefix(Self.maximumTries).contains { $0.verifies(token) }
    }

    // While a provider rotates its keys, two keys may have one id. More of them are an attempt to waste our time.
    private static let maximumTries = 4
}

/// Fetches key sets over HTTP.
package struct KeySetFetcher: Sendable {
    package struct Fetched: Sendable {
        package let keySet: KeySet
        /// `max-age` of the answer.
        package let maximumAge: Duration?
    }

    /// The document is not valid.
    package enum Invalid: Error, Equatable, Sendable {
        case status(Int)
        case json
        /// The discovery document is of another issuer (OpenID Connect Discovery 1.0 §4.3).
        case issuer
        case noKeys
    }

    // Federations publish hundreds of keys. Further ones are ignored.
    private static let maximumKeys = 500

    private let http: OutboundHTTP

    package init(http: OutboundHTTP) { self.http = http }

    /// Fetches an issuer's keys.
    package func fetch(_ source: KeySource) async throws -> Fetched {
        switch source {
        case .pinned(let url):
            return try await fetchKeys(at: url, of: [:])
        case .discovery(let issuer):
            return try await discover(at: PublishedDocument.discoveryURL(of: issuer), issuer: issuer)
        case .sharedDiscovery(let url, let issuer):
            return try await discover(at: url, issuer: issuer)
        }
    }

    private func discover(at url: String, issuer: String) async throws -> Fetched {
        let document = try await PublishedDocument.fetch(url, over: http).content
        guard bytesEqual(document["issuer"]?.string, issuer) else { throw Invalid.issuer }
        guard let url = document["jwks_uri"]?.string else { throw Invalid.json }
        return try await fetchKeys(at: url, of: document)
    }

    private static func announced(_ name: String, _ discovery: JSONValue) -> Set<VerificationKey.Algorithm>? {
        discovery[name]?.array.map { Set($0.compactMap { VerificationKey.Algorithm(name: $0.string) }) }
    }

    private func fetchKeys(at url: String, of discovery: JSONValue) async throws -> Fetched {
        let document = try await PublishedDocument.fetch(url, over: http)
        guard let published = document.content["keys"]?.array else { throw Invalid.json }
        var keys: [VerificationKey] = []
        for jwk in published.prefix(Self.maximumKeys) { keys += await VerificationKey.keys(jwk: jwk) }
        guard !keys.isEmpty else { throw Invalid.noKeys }
        return Fetched(
            keySet: KeySet(
                keys: keys,
                announcedAlgorithms: Self.announced("id_token_signing_alg_values_supported", discovery),
                announcedForUserInfo: Self.announced("userinfo_signing_alg_values_supported", discovery)
            ),
            maximumAge: document.answer.header("Cache-Control").flatMap(Self.maximumAge)
        )
    }

    // RFC 9111 §5.2.2.1. `no-store` and `no-cache` count as an age of zero, which the cache raises to its lower bound.
    private static func maximumAge(_ header: String) -> Duration? {
        let directives = header.lowercased().split(separator: ",").map { $0.filter { $0 != " " } }
        if directives.contains("no-store") || directives.contains("no-cache") { return .zero }
        let age = directives.first { $0.hasPrefix("max-age=") }.flatMap { Int64($0.dropFirst("max-age=".count)) }
        return age.map { .seconds(min(max($0, 0), 31_536_000)) }
    }
}
