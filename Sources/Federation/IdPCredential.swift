package import Project

/// A client's credential from an identity provider (`Docs/Contract/client-accounts.md` §5.2). Nothing of it is verified.
package struct IdPCredential: Sendable, Hashable {
    /// `google.com`, `oidc.example`…; lower-cased.
    package var providerID: String
    /// An OpenID Connect ID token.
    package var idToken: String?
    /// An OAuth access token.
    package var accessToken: String?
    /// The secret of an OAuth 1.0a access token.
    package var tokenSecret: String?
    /// The raw nonce. The ID token contains its hash.
    package var nonce: String?
    /// An OAuth authorization code.
    package var authorizationCode: String?
    /// Apple's extra JSON with the full name, sent once on the first authorization.
    package var user: String?
    /// The `SAMLResponse` parameter.
    package var samlResponse: String?
    /// The request that ``samlResponse`` must answer. Only a flow of this server knows it.
    package var samlRequest: SAMLRequest?
    /// The refresh token that a code exchange gave.
    package var refreshToken: String?
    /// The remaining life of ``accessToken`` in seconds, as a code exchange stated it.
    package var accessTokenSeconds: Int64?
    /// The scopes of ``accessToken``, as a code exchange stated them.
    package var grantedScopes: String?
    /// The tokens came from the provider's token endpoint and not from the app, so they are certainly for our client.
    package var isExchanged = false
    /// Where ``idToken`` came from.
    package var idTokenOrigin = Origin.app

    /// Where an ID token came from. Only flows of this server know better than ``app``.
    package enum Origin: Sendable, Hashable {
        /// An app, which may have it from anywhere, or may have brought the code for it.
        case app
        /// The browser, in answer to a flow of this server.
        case browser
        /// The token endpoint, for the code of a flow of this server.
        case tokenEndpoint
    }

    /// A request of this server to a SAML provider.
    package struct SAMLRequest: Sendable, Hashable {
        package let id: String
        package let sentAt: Timestamp
        /// Where the response was asked for: its `Destination` and `Recipient`.
        package let assertionConsumerURL: String
        /// Whether the user was to sign in at the provider anew.
        package let demandsNewSignIn: Bool

        package init(id: String, sentAt: Timestamp, assertionConsumerURL: String, demandsNewSignIn: Bool = false) {
            self.id = id
            self.sentAt = sentAt
            self.assertionConsumerURL = assertionConsumerURL
            self.demandsNewSignIn = demandsNewSignIn
        }
    }

    package init(
        providerID: String,
        idToken: String? = nil,
        accessToken: String? = nil,
        tokenSecret: String? = nil,
        nonce: String? = nil,
        authorizationCode: String? = nil,
        user: String? = nil
    ) {
        self.providerID = providerID
        self.idToken = idToken
        self.accessToken = accessToken
        self.tokenSecret = tokenSecret
        self.nonce = nonce
        self.authorizationCode = authorizationCode
        self.user = user
    }
}
