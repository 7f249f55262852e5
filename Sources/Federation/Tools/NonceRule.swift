package import Project

/// How a provider's nonce is checked (`Docs/Contract/rulings.md` 4, threat cases OID-08, APL-03, APL-04).
package enum NonceRule: Sendable {
    /// The claim must be the lower-case hex SHA-256 of the raw nonce. If there is a raw nonce, there must be a claim.
    case apple
    /// The claim is that hash or the raw nonce itself, because Google's and Azure's SDKs differ.
    case hashOrExact

    /// Checks the nonce of a token against the raw nonce of the request, in constant time.
    ///
    /// - Parameters:
    ///   - claims: The token's claims.
    ///   - rawNonce: The raw nonce of the request; `nil` when it has none.
    /// - Throws: `APIError` `MISSING_OR_INVALID_NONCE`.
    package func check(claims: JSONValue, rawNonce: String?) throws {
        guard let member = claims["nonce"], member != .null else {
            if case .apple = self, rawNonce != nil, claims["nonce_supported"]?.bool != false {
                throw APIError(.missingOrInvalidNonce, "The request has a nonce but the ID token has none.")
            }
            return
        }
        guard let claim = member.string, !claim.isEmpty else {
            throw APIError(.missingOrInvalidNonce, "The nonce in the ID token is not a text.")
        }
        guard let rawNonce else {
            throw APIError(.missingOrInvalidNonce, "The ID token has a nonce but the request has none.")
        }
        if constantTimeEqual(claim, hexadecimal(sha256(rawNonce.utf8))) { return }
        let isRaw = constantTimeEqual(claim, rawNonce)
        if isRaw, case .hashOrExact = self { return }
        let hint = isRaw ? " The ID token carries the raw nonce; hash it before the request to the provider." : ""
        throw APIError(
            .missingOrInvalidNonce,
            "The nonce in the ID token is not the SHA-256 hash, in lower-case hex, of the nonce in the request.\(hint)"
        )
    }
}
