package import Project

/// How a provider's nonce is checked (`Docs/Contract/rulings.md` 4 and 37, threat cases OID-08, OID-09, APL-03, APL-04).
package enum NonceRule: Sendable {
    /// The claim must be the lower-case hex SHA-256 of the raw nonce. If there is a raw nonce, there must be a claim.
    case apple
    /// The claim is that hash or the raw nonce itself, because Google's and Azure's SDKs differ.
    case hashOrExact
    /// As ``hashOrExact``, but a claim without a raw nonce is accepted: Google's libraries invent nonces, and Firebase's SDKs have no place
    /// for the nonce of a Google credential.
    case google

    /// Checks the nonce of a token against the raw nonce of the request, in constant time.
    ///
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
            if case .google = self { return }
            throw APIError(.missingOrInvalidNonce, "The ID token has a nonce but the request has none.")
        }
        if constantTimeEqual(claim, hexadecimal(sha256(rawNonce.utf8))) { return }
        let isRaw = constantTimeEqual(claim, rawNonce)
        switch self {
        case .hashOrExact, .google: if isRaw { return }
        case .apple: break
        }
        let hint = isRaw ? " The ID token carries the raw nonce; hash it before the request to the provider." : ""
        throw APIError(
            .missingOrInvalidNonce,
            "The nonce in the ID token is not the SHA-256 hash, in lower-case hex, of the nonce in the request.\(hint)"
        )
    }

    /// Whether a token with a nonce is used up when it is accepted. Google's are good again while they live, unless an app showed the nonce
    /// with it: the SDKs rebuild the credential of a Google flow from the token alone, and show it more than once.
    func usesUpToken(of credential: IdPCredential) -> Bool {
        switch self {
        case .apple, .hashOrExact: true
        case .google: credential.idTokenOrigin == .app && credential.nonce != nil
        }
    }
}
