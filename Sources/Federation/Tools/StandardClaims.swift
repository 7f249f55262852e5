import Project

extension IdPCredential {
    /// The ID token, for providers that require one.
    ///
    /// - Throws: `APIError` `INVALID_CREDENTIAL_OR_PROVIDER_ID` when the credential has none.
    func requireIDToken() throws -> String {
        guard let idToken else {
            throw APIError(.invalidCredentialOrProviderID, "The credential of \(providerID) must have an id_token.")
        }
        return idToken
    }

    // No provider has longer tokens. The limit also keeps headers and URLs within what servers accept.
    private static let maximumTokenLength = 8192

    /// The access token, if it is safe to send to the provider.
    ///
    /// - Throws: `APIError` `INVALID_CREDENTIAL_OR_PROVIDER_ID` when the credential has none; ``ProviderError`` when the text is
    ///   not a token (RFC 6750 §2.1).
    func requireAccessToken() throws -> String {
        guard let accessToken else {
            throw APIError(.invalidCredentialOrProviderID, "The credential of \(providerID) must have an access_token.")
        }
        guard accessToken.utf8.count <= Self.maximumTokenLength, accessToken.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { throw ProviderError(.profile, "The access token is malformed.") }
        return accessToken
    }
}

extension VerifiedIdentity {
    /// Takes the profile from the standard claims (OpenID Connect Core 1.0 §5.1). It does not decide whether the e-mail is
    /// verified.
    mutating func takeStandardClaims(_ claims: JSONValue) {
        email = claims["email"]?.string.flatMap(EmailAddress.canonical)
        displayName = claims["name"]?.string.flatMap(ProfileText.name)
        firstName = claims["given_name"]?.string.flatMap(ProfileText.name)
        lastName = claims["family_name"]?.string.flatMap(ProfileText.name)
        nickName = claims["nickname"]?.string.flatMap(ProfileText.name)
        photoURL = claims["picture"]?.string.flatMap(ProfileText.photoURL)
        language = claims["locale"]?.string.flatMap(ProfileText.name)
        timeZone = claims["zoneinfo"]?.string.flatMap(ProfileText.name)
        dateOfBirth = claims["birthdate"]?.string.flatMap(ProfileText.name)
    }

    /// Keeps the tokens, which the client gets back to rebuild its credential.
    mutating func takeTokens(of credential: IdPCredential) {
        idToken = credential.idToken
        accessToken = credential.accessToken
        tokenSecret = credential.tokenSecret
        nonce = credential.nonce
        refreshToken = credential.refreshToken
        accessTokenSeconds = credential.accessTokenSeconds
    }
}
