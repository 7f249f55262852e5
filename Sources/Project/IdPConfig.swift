/// One identity provider as configured for a project or tenant: a `defaultSupportedIdpConfigs`, `oauthIdpConfigs` or
/// `inboundSamlConfigs` resource (`Docs/Contract/admin-config.md` §12, `Docs/Configuration.md`).
package struct IdPConfig: Sendable, Hashable {
    /// `apple.com`, `google.com`, `oidc.NAME`…
    package let providerID: String
    package let isEnabled: Bool
    /// The client id that Postern has at the provider; `nil` when there is none.
    package let clientID: String?
    /// The secret in clear text. `nil` when the resource has none, was not opened, or cannot be opened.
    package let clientSecret: String?
    /// The audiences accepted in an ID token: client id, further client ids and Apple bundle ids, compared exactly.
    package let audiences: [String]
    /// `appleSignInConfig.bundleIds`.
    package let bundleIDs: [String]
    /// The issuer of an `oidc.*` configuration, compared as an exact string.
    package let issuer: String?
    /// The Microsoft directories whose users may sign in; empty lets in those of every directory.
    package let allowedTenants: [String]
    /// `oauth2Config.enabled`: Twitter with OAuth 2.0, where OAuth 1.0a is usual.
    package let usesOAuth2: Bool
    /// `oauth2Config.allowClientAccessTokens`: with OAuth 2.0, access tokens are accepted although nothing shows for which app
    /// they are.
    package let allowsClientAccessTokens: Bool
    /// The members of an `inboundSamlConfigs` resource; `nil` for other providers, and while it is incomplete.
    package let saml: SAMLConfig?

    /// Reads the resource.
    ///
    /// - Parameter document: `additionalClientIds`, `allowedTenants` and `oauth2Config` are Postern's own members: client ids of
    ///   further apps (Google's iOS and Android clients), Microsoft directories, and Twitter's version of OAuth.
    package init(providerID: String, document: JSONValue) {
        func texts(_ value: JSONValue?) -> [String] {
            (value?.array ?? []).compactMap(\.string).filter { !$0.isEmpty }
        }
        func text(_ value: JSONValue?) -> String? { value?.string.flatMap { $0.isEmpty ? nil : $0 } }
        self.providerID = providerID
        isEnabled = document["enabled"]?.bool ?? false
        issuer = document["issuer"]?.string
        clientID = text(document["clientId"])
        clientSecret = text(document["clientSecret"])
        bundleIDs = texts(document["appleSignInConfig"]?["bundleIds"])
        audiences = (clientID.map { [$0] } ?? []) + texts(document["additionalClientIds"]) + bundleIDs
        allowedTenants = texts(document["allowedTenants"]).map { $0.lowercased() }
        usesOAuth2 = document["oauth2Config"]?["enabled"]?.bool ?? false
        allowsClientAccessTokens = document["oauth2Config"]?["allowClientAccessTokens"]?.bool ?? false
        saml = SAMLConfig(document)
    }
}
