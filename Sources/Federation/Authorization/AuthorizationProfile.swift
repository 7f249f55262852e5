/// How people are sent to one identity provider and how its answer becomes a credential: plain data, made for one flow
/// (`contract/web-handler.md` §7).
package struct AuthorizationProfile: Sendable {
    /// What the provider answers with.
    package enum Grant: String, Sendable {
        /// RFC 6749 §4.1.
        case code
        /// OpenID Connect Core 1.0 §3.2, without an access token.
        case idToken = "id_token"
        /// OpenID Connect Core 1.0 §3.3, as Apple does it.
        case codeAndIDToken = "code id_token"
        /// RFC 5849.
        case oauth1
    }

    /// How Postern proves who it is at the token endpoint (RFC 6749 §2.3.1).
    package enum ClientAuthentication: Sendable {
        /// In the `Authorization` header.
        case basic(secret: String)
        /// In the form.
        case post(secret: String)
    }

    package var grant: Grant
    package var clientID: String
    package var authorizationEndpoint: String
    /// Where codes are exchanged; `nil` when they cannot be.
    package var tokenEndpoint: String?
    /// Where OAuth 1.0a begins.
    package var requestTokenEndpoint: String?
    package var authentication: ClientAuthentication?
    package var scopes: [String] = []
    package var scopeSeparator = " "
    /// `response_mode`; `nil` leaves the provider's default.
    package var responseMode: String?
    /// PKCE, always with S256 (RFC 7636).
    package var usesPKCE = true
    /// Whether its ID tokens carry our nonce. Then each must.
    package var usesNonce = false
    /// Parameters that custom ones do not replace.
    package var parameters: [String: String] = [:]
    /// What an `iss` parameter of the answer may be (RFC 9207); empty when the provider is not known to send one.
    package var issuers: [String] = []
    /// Whether an answer without `iss` is refused.
    package var requiresIssuer = false
    /// Whether codes may come that an app of the user's device asked for, without any flow of ours.
    package var takesServerAuthCodes = false

    init(grant: Grant, clientID: String, authorizationEndpoint: String, tokenEndpoint: String? = nil) {
        self.grant = grant
        self.clientID = clientID
        self.authorizationEndpoint = authorizationEndpoint
        self.tokenEndpoint = tokenEndpoint
    }
}

/// What selects among a provider's profiles; the flow remembers it, so that its end has the profile that its beginning had.
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
