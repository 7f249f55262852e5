import Project
import Settings

/// Resolves names, and refuses those with an address that the network guard refuses (SSR-01). The resolver keeps answers; every
/// answer is checked each time, whether it is new or kept.
struct CheckedNames: Sendable {
    let networkGuard: NetworkGuard
    let resolver: NameResolver

    init(_ settings: OutboundSettings, resolver: NameResolver = .system) {
        networkGuard = NetworkGuard(allowPrivateNetworks: settings.allowPrivateNetworks)
        self.resolver = resolver
    }

    /// The addresses of a name. Connections go only to these, so that a later change of the name has no effect (SSR-02).
    ///
    /// - Returns: At least one address; `nil` when any address is allowed.
    /// - Throws: `OutboundError`, which is `forbiddenAddress` also when only some of the addresses are forbidden.
    func addresses(of host: String) async throws -> [IPAddress]? {
        if networkGuard.allowPrivateNetworks { return nil }
        let addresses = try await resolver.addresses(of: host)
        guard addresses.allSatisfy(networkGuard.allows) else { throw OutboundError.forbiddenAddress }
        return addresses
    }
}
