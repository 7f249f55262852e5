import Project

/// The rules for custom claims (`Docs/Contract/tokens.md` §4.2 and §4.3).
package enum CustomClaims {
    /// Names that only the server may set.
    package static let reservedNames = [
        "iss", "aud", "sub", "iat", "exp", "nbf", "jti", "nonce", "azp", "acr", "amr", "cnf", "auth_time", "firebase", "at_hash",
        "c_hash",
    ]

    /// The longest JSON text, in UTF-16 code units.
    package static let maximumLength = 1000

    /// Checks the text of a `customAttributes` field.
    ///
    /// - Throws: `APIError` `CLAIMS_TOO_LARGE`, `INVALID_CLAIMS`, `FORBIDDEN_CLAIM`.
    package static func validated(_ text: String) throws -> String {
        guard text.utf16.count <= maximumLength else { throw APIError(.claimsTooLarge) }
        guard let claims = try? JSONValue.parse(text.utf8).object else { throw APIError(.invalidClaims) }
        try checkNames(claims)
        return text
    }

    /// Checks the `claims` of a custom token.
    ///
    /// - Throws: `APIError` `INVALID_CLAIMS`, `FORBIDDEN_CLAIM`, `CLAIMS_TOO_LARGE`.
    static func validated(ofToken value: JSONValue?, isBounded: Bool) throws -> String? {
        guard let value else { return nil }
        guard let claims = value.object else { throw APIError(.invalidClaims) }
        try checkNames(claims)
        let text = value.text
        if isBounded, text.utf16.count > maximumLength { throw APIError(.claimsTooLarge) }
        return claims.isEmpty ? nil : text
    }

    private static func checkNames(_ claims: JSONObject) throws {
        if let name = reservedNames.first(where: { claims[$0] != nil }) { throw APIError(.forbiddenClaim, name) }
    }
}
