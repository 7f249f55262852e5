/// A place of an identity provider. The setting `endpoints.NAME` puts it elsewhere, for tests and for proxies.
package struct ProviderEndpoint: Sendable {
    /// The last part of the setting's name.
    package let name: String
    /// The https URL of the real provider.
    package let url: String
    /// One line on it for the table of settings.
    package let meaning: String
    /// Other issuers that the real one's tokens may name. An overridden one is believed under its own URL only (ruling 6).
    package let aliases: [String]
    /// The endpoint that this one follows when only that one is overridden (ruling 18).
    package let base: (name: String, segment: String)?
    /// Whether paths are appended to it: then its URL has no query and no slash at the end.
    package let takesPaths: Bool

    /// - Parameter aliases: Other issuers that the real one's tokens may name.
    init(
        _ name: String,
        at url: String,
        _ meaning: String,
        aliases: [String] = [],
        under base: (endpoint: ProviderEndpoint, segment: String)? = nil,
        takesPaths: Bool = true
    ) {
        self.name = name
        self.url = url
        self.meaning = meaning
        self.aliases = aliases
        self.base = base.map { ($0.endpoint.name, $0.segment) }
        self.takesPaths = takesPaths
    }

    /// What holds when the setting is absent, as the table of settings has it.
    package var defaultText: String {
        guard let base else { return "`\(url)`" }
        return "`\(url)`; `<endpoints.\(base.name)>/\(base.segment)` when that is set"
    }
}

/// The addresses of the providers: their own, and those of the settings where the operator has set one.
package struct ProviderEndpoints: Sendable {
    private let overridden: [String: String]

    package init(overridden: [String: String] = [:]) { self.overridden = overridden }

    package subscript(_ endpoint: ProviderEndpoint) -> String {
        if let url = override(of: endpoint) { return url }
        if let base = endpoint.base, let url = overridden[base.name] { return "\(url)/\(base.segment)" }
        return endpoint.url
    }

    /// The URL that the settings give an endpoint; `nil` where the provider's own holds.
    package func override(of endpoint: ProviderEndpoint) -> String? { overridden[endpoint.name] }

    /// The accepted issuers of tokens, for an endpoint that is an issuer. An overridden endpoint is the only accepted issuer.
    func issuers(_ endpoint: ProviderEndpoint) -> [String] {
        override(of: endpoint).map { [$0] } ?? [endpoint.url] + endpoint.aliases
    }
}
