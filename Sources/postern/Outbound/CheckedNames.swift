import Project

/// Looks names up, and lets no call go on to an address that the network guard refuses (SSR-01).
struct CheckedNames: Sendable {
    let networkGuard: NetworkGuard
    let resolver: NameResolver

    /// - Parameters:
    ///   - settings: `outbound.*`.
    ///   - resolver: What looks names up.
    init(_ settings: OutboundSettings, resolver: NameResolver = NameResolver()) {
        networkGuard = NetworkGuard(allowPrivateNetworks: settings.allowPrivateNetworks)
        self.resolver = resolver
    }

    /// The addresses of a name, to connect to and to no others: a name cannot change its mind in between (SSR-02).
    ///
    /// - Parameter host: The name, or a literal address.
    /// - Returns: At least one address; `nil` where any will do.
    /// - Throws: `OutboundError`; `forbiddenAddress` when only some of them are forbidden, too.
    func addresses(of host: String) async throws -> [IPAddress]? {
        if networkGuard.allowPrivateNetworks { return nil }
        let addresses = try await resolver.addresses(of: host)
        guard addresses.allSatisfy(networkGuard.allows) else { throw OutboundError.forbiddenAddress }
        return addresses
    }
}
