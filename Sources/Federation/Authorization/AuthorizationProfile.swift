package import Project

/// How users are sent to one identity provider and how its answer becomes a credential: plain data for one flow
/// (`Docs/Contract/web-handler.md` §7).
package struct AuthorizationProfile: Sendable {
    /// The credentials in the provider's answer.
    package enum Grant: String, Sendable {
        /// RFC 6749 §4.1.
        case code
        /// OpenID Connect Core 1.0 §3.2, without an access token.
        case idToken = "id_token"
        /// OpenID Connect Core 1.0 §3.3, as Apple does it.
        case codeAndIDToken = "code id_token"
        /// RFC 5849.
        case oauth1
        /// SAML 2.0 Profiles §4.1, begun by this server.
        case saml
    }

    /// What SAML requests are made of.
    package struct SAMLRequests: Sendable {
        package let config: SAMLConfig
        /// The key that signs them; `nil` when they are not signed.
        package let signingKey: SAMLTools.ServiceKey?
        /// Signs them, so that signatures delay no other request.
        package let threads: SAMLVerification
    }

    /// How Postern authenticates at the token endpoint (RFC 6749 §2.3.1).
    package enum ClientAuthentication: Sendable {
        /// In the `Authorization` header.
        case basic(secret: String)
        /// In the form.
        case post(secret: String)
    }

    package var grant: Grant
    package var clientID: String
    package var authorizationEndpoint: String
    /// The endpoint that exchanges codes; `nil` when codes cannot be exchanged.
    package var tokenEndpoint: String?
    /// The endpoint that issues OAuth 1.0a's request tokens.
    package var requestTokenEndpoint: String?
    package var authentication: ClientAuthentication?
    /// Whether the token endpoint gives our app a token without a user (RFC 6749 §4.4). That shows id and secret where an invalid code does
    /// not.
    package var givesOwnToken = false
    package var scopes: [String] = []
    package var scopeSeparator = " "
    /// `response_mode`; `nil` leaves the provider's default.
    package var responseMode: String?
    /// PKCE, always with S256 (RFC 7636).
    package var usesPKCE = true
    /// Whether its ID tokens carry our nonce. If so, an ID token without it is refused.
    package var usesNonce = false
    /// Parameters that an app's own parameters do not replace.
    package var parameters: [String: String] = [:]
    /// The accepted values of an `iss` parameter in the answer (RFC 9207); empty when the provider is not known to send one.
    package var issuers: [String] = []
    /// Whether an answer without `iss` is refused.
    package var requiresIssuer = false
    /// How users are sent to a SAML provider; `nil` for all others.
    package var saml: SAMLRequests?
    /// Whether codes are accepted that an app on the user's device requested, outside any flow of ours.
    package var takesServerAuthCodes = false

    init(grant: Grant, clientID: String, authorizationEndpoint: String, tokenEndpoint: String? = nil) {
        self.grant = grant
        self.clientID = clientID
        self.authorizationEndpoint = authorizationEndpoint
        self.tokenEndpoint = tokenEndpoint
    }
}

/// Selects one of a provider's profiles. The flow stores it, so that it ends with the profile that it began with.
package struct AuthorizationSelection: Sendable, Hashable, Codable {
    /// Microsoft's directory (`customParameter.tenant`).
    package var directory: String?
    /// The client asked for a code (`authFlowType`).
    package var wantsCode: Bool

    package init(directory: String? = nil, wantsCode: Bool = false) {
        self.directory = directory
        self.wantsCode = wantsCode
    }
}
