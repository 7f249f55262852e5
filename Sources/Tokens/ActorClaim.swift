package import Project

/// The claim of sessions in which an operator acts as a user: `act` (RFC 8693 §4.1), with the operator's name in the audit trail.
///
/// Such a session shows what the user sees. It changes none of the ways in to the account, and it ends after an hour.
package enum ActorClaim {
    /// What the names of operators in the audit trail begin with.
    package static let operatorPrefix = "operator:"
    /// How long an operator acts as a user, in seconds from the sign-in.
    package static let lifetimeSeconds: Int64 = 3600

    /// Makes the claims of an operator's session.
    package static func claims(of actor: String) -> JSONValue { ["act": ["sub": .string(actor)]] }

    /// Whether claims are those of an operator's session. A project's own tokens may name other actors.
    static func isIn(_ claims: JSONObject) -> Bool {
        claims["act"]?["sub"]?.string?.utf8.starts(with: operatorPrefix.utf8) == true
    }

    /// Whether the claims of a session, as a JSON object's text, are those of an operator's session.
    package static func isIn(_ claims: String?) -> Bool { end(of: claims, authTime: 0) != nil }

    /// Tells when an operator's session ends.
    ///
    /// - Parameters:
    ///   - claims: The claims of the session alone, as a JSON object's text.
    ///   - authTime: The time of the sign-in in seconds.
    /// - Returns: The end in seconds since 1970; `nil` for a user's own session.
    package static func end(of claims: String?, authTime: Int64) -> Int64? {
        guard let claims = claims.flatMap({ try? JSONValue.parse($0.utf8).object }), isIn(claims) else { return nil }
        return authTime + lifetimeSeconds
    }
}
