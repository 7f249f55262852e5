/// One identity provider as configured for a project or tenant: a `defaultSupportedIdpConfigs` or `oauthIdpConfigs` resource
/// (`contract/admin-config.md` §12, `design/configuration.md`).
package struct IdPConfig: Sendable, Hashable {
    /// `apple.com`, `google.com`, `oidc.NAME`…
    package let providerID: String
    package let isEnabled: Bool
    /// The audiences that an ID token for us may name: client id, further client ids, Apple bundle ids. Exact elements.
    package let audiences: [String]
    /// The issuer of an `oidc.*` configuration, compared as an exact string.
    package let issuer: String?

    /// Reads the resource.
    ///
    /// - Parameters:
    ///   - providerID: The resource's id.
    ///   - document: The resource. `additionalClientIds` is Postern's own: client ids of further apps (Google's iOS and
    ///     Android clients) whose tokens are ours.
    package init(providerID: String, document: JSONValue) {
        self.providerID = providerID
        isEnabled = document["enabled"]?.bool ?? false
        issuer = document["issuer"]?.string
        let listed = [document["clientId"]].compactMap { $0?.string }
        let further = [document["additionalClientIds"], document["appleSignInConfig"]?["bundleIds"]]
            .flatMap { $0?.array ?? [] }.compactMap(\.string)
        audiences = (listed + further).filter { !$0.isEmpty }
    }

    /// Where the secrets stand in such a resource; they are sealed before the resource is stored.
    package static let secretPaths: [[String]] = [
        ["clientSecret"],
        ["appleSignInConfig", "codeFlowConfig", "privateKey"],
    ]
}
