package import Project

/// The public keys of ID tokens in the forms that verifiers fetch (`Docs/Contract/tokens.md` §1.1).
package struct KeyDocuments: Sendable {
    private let keyRing: KeyRing

    /// How long verifiers may cache the documents, in seconds: above an hour, since firebase_id_token for Ruby takes no shorter time,
    /// and no longer than need be, since a verifier takes a revoked key for that long (threat case KEY-02). The next signing key is
    /// published for far longer before it signs.
    package static let maximumAgeSeconds = 3900

    package init(keyRing: KeyRing) { self.keyRing = keyRing }

    /// The JWK set (RFC 7517 §5).
    package var jwks: JSONValue { ["keys": .array(keyRing.published.map(\.pair.jwk))] }

    /// Firebase's map from key id to X.509 certificate in PEM.
    package var certificates: JSONValue { Self.certificates(of: keyRing.published.map(\.pair)) }

    /// The JWK set of session cookies (`Docs/Contract/coverage.md` §6).
    package var cookieJWKS: JSONValue { ["keys": .array(keyRing.publishedForCookies.map(\.pair.jwk))] }

    /// The certificates of session cookies, where the Admin SDKs fetch them (`Docs/Contract/tokens.md` §5).
    package var cookieCertificates: JSONValue { Self.certificates(of: keyRing.publishedForCookies.map(\.pair)) }

    private static func certificates(of pairs: [SigningKeyPair]) -> JSONValue {
        .object(JSONObject(naming: pairs.map { ($0.kid, .string($0.certificate)) }))
    }

    /// OpenID provider metadata with the members that a verifier of our ID tokens needs (OpenID Connect Discovery 1.0 §3).
    ///
    /// - Parameter publicURL: `server.publicURL`. It must not come from a request's `Host`, which an attacker may choose (threat
    ///   case KEY-04).
    package func discovery(issuer: String, publicURL: String) -> JSONValue {
        [
            "issuer": .string(issuer),
            "jwks_uri": .string(publicURL + "/.well-known/jwks.json"),
            "response_types_supported": ["id_token"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
        ]
    }
}
