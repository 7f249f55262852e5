import Federation

/// `endpoints.*`: the addresses of the identity providers. They are overridden in tests and behind proxies.
extension ProviderEndpoints {
    /// Reads the key of every endpoint that a provider declares; an overridden one is the only issuer accepted (ruling 6).
    init(_ reader: SettingsReader, outbound: OutboundSettings) {
        var overridden: [String: String] = [:]
        for endpoint in Providers.endpoints {
            let url = reader.optional(
                endpoint.name,
                endpoint.takesPaths ? .baseURL : .webURL,
                otherwise: endpoint.defaultText,
                endpoint.meaning
            )
            outbound.check(url, endpoint.name, reader)
            overridden[endpoint.name] = url?.text
        }
        self.init(overridden: overridden)
    }
}
