import Project

/// What may be a custom claim (`contract/tokens.md` §4.2 and §4.3).
package enum CustomClaims {
    /// Names that only the server may set.
    package static let reservedNames = [
        "iss", "aud", "sub", "iat", "exp", "nbf", "jti", "nonce", "azp", "acr", "amr", "cnf", "auth_time", "firebase", "at_hash",
        "c_hash",
    ]

    /// Longest JSON text, in characters.
    package static let maximumLength = 1000

    /// Checks the text of a `customAttributes` field.
    ///
    /// - Parameter text: JSON.
    /// - Returns: The text.
    /// - Throws: `APIError` `CLAIMS_TOO_LARGE`, `INVALID_CLAIMS`, `FORBIDDEN_CLAIM`.
    package static func validated(_ text: String) throws -> String {
        guard text.count <= maximumLength else { throw APIError(.claimsTooLarge) }
        guard let claims = try? JSONValue.parse(text.utf8).object else { throw APIError(.invalidClaims) }
        if let name = reservedNames.first(where: { claims[$0] != nil }) { throw APIError(.forbiddenClaim, name) }
        return text
    }
}
