/// What a client brings from an identity provider (`contract/client-accounts.md` §5.2). Nothing of it is trusted yet.
package struct IdPCredential: Sendable, Hashable {
    /// `google.com`, `oidc.example`…; lower-cased.
    package var providerID: String
    /// An OpenID Connect ID token.
    package var idToken: String?
    /// An OAuth access token.
    package var accessToken: String?
    /// The secret beside an OAuth 1.0a access token.
    package var tokenSecret: String?
    /// The refresh token that a code exchange gave.
    package var refreshToken: String?
    /// Lifetime of the access token in seconds, as a code exchange gave it.
    package var accessTokenSeconds: Int64?
    /// The raw nonce whose hash stands in the ID token.
    package var nonce: String?
    /// An OAuth authorization code.
    package var authorizationCode: String?
    /// Apple's extra JSON with the full name, sent once on the first authorization.
    package var user: String?

    package init(
        providerID: String,
        idToken: String? = nil,
        accessToken: String? = nil,
        nonce: String? = nil,
        authorizationCode: String? = nil,
        user: String? = nil
    ) {
        self.providerID = providerID
        self.idToken = idToken
        self.accessToken = accessToken
        self.nonce = nonce
        self.authorizationCode = authorizationCode
        self.user = user
    }
}
