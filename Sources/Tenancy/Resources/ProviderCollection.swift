import Federation
package import Storage

/// The collections of identity provider configurations (`Docs/Contract/admin-config.md` §11); the raw value is the one in paths.
package enum ProviderCollection: String, Sendable, CaseIterable {
    case defaultSupportedIdpConfigs
    case oauthIdpConfigs
    case inboundSamlConfigs

    /// The query parameter that names a new resource.
    package var idParameter: String {
        switch self {
        case .defaultSupportedIdpConfigs: "idpId"
        case .oauthIdpConfigs: "oauthIdpConfigId"
        case .inboundSamlConfigs: "inboundSamlConfigId"
        }
    }

    /// The store's kind for such a resource.
    package var kind: ResourceKind {
        switch self {
        case .defaultSupportedIdpConfigs: .defaultSupportedIdpConfig
        case .oauthIdpConfigs: .oauthIdpConfig
        case .inboundSamlConfigs: .inboundSamlConfig
        }
    }

    /// The collection of a kind of resource; `nil` for kinds that are no providers.
    package init?(kind: ResourceKind) {
        guard let collection = Self.allCases.first(where: { $0.kind == kind }) else { return nil }
        self = collection
    }

    /// Looks a member up.
    ///
    /// - Parameter path: The member's name, after the names of the objects that contain it.
    package func hasMember(_ path: [String]) -> Bool {
        if case .member = kind.shape.target(of: path) { true } else { false }
    }

    /// Whether a text may be the id of such a resource.
    func isID(_ text: String) -> Bool {
        switch self {
        case .defaultSupportedIdpConfigs: Providers.builtIn.contains { $0.serves(text) }
        case .oauthIdpConfigs: text.wholeMatch(of: /oidc\.[A-Za-z0-9._-]{1,32}/) != nil
        case .inboundSamlConfigs: text.wholeMatch(of: /saml\.[A-Za-z0-9._-]{1,32}/) != nil
        }
    }

    /// Explains why a text is not an id of this collection.
    var idRule: String {
        switch self {
        case .defaultSupportedIdpConfigs: "is not a provider that Postern knows"
        case .oauthIdpConfigs: "must be named oidc. and up to 32 letters, digits, '.', '-' or '_'"
        case .inboundSamlConfigs: "must be named saml. and up to 32 letters, digits, '.', '-' or '_'"
        }
    }
}
