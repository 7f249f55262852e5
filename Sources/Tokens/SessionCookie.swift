import Project

extension TokenIssuer {
    /// The longest life of a session cookie (`Docs/Contract/tokens.md` §5).
    package static let longestCookie = Duration.seconds(1_209_600)

    /// The lives that a session cookie may have, in seconds.
    package static let cookieSeconds: ClosedRange<Int64> = 300...1_209_600

    /// The `iss` of a project's session cookies. It keeps cookies from being accepted as ID tokens, and ID tokens as cookies.
    package static func cookieIssuer(projectID: String) -> String { "https://session.firebase.google.com/\(projectID)" }

    /// Makes a session cookie: the claims of an ID token with another issuer, issue time and expiry.
    ///
    /// - Parameters:
    ///   - idToken: It must have been verified, see ``verify(_:projectID:)``. Its claims are copied.
    ///   - issuedAt: `iat`, in seconds.
    ///   - lifetimeSeconds: `exp` less `iat`, within ``cookieSeconds``.
    /// - Returns: Signed with the key that signs ID tokens, or unsigned if those are unsigned.
    /// - Throws: `APIError` `INVALID_ID_TOKEN`; the error of a key ring that cannot sign.
    package func mintSessionCookie(
        from idToken: String,
        projectID: String,
        issuedAt: Int64,
        lifetimeSeconds: Int64
    ) throws -> String {
        guard let claims = try? CompactJWS(unverified: idToken).payload else { throw APIError(.invalidIDToken) }
        return try serialize(
            claims.merging([
                "iss": .string(Self.cookieIssuer(projectID: projectID)), "iat": .integer(issuedAt),
                "exp": .integer(issuedAt + lifetimeSeconds),
            ])
        )
    }
}
