import Hummingbird
import Project

/// The hosts that requests have named and that were found to be valid and permitted: clients name the same few again and again, and
/// reading one costs more than finding it here.
final class KnownHosts: Sendable {
    // Clients may invent hosts without end where every name is permitted.
    private static let capacity = 64

    private let hosts = LockedState<Set<MemberName>>([])

    /// Whether the host of a request has passed before.
    func contains(_ authority: String?) -> Bool {
        guard let authority else { return false }
        return hosts.withLock { $0.contains(MemberName(authority)) }
    }

    /// Remembers a host that has passed every check.
    func insert(_ authority: String?) {
        guard let authority else { return }
        hosts.withLock { hosts in
            if hosts.count >= Self.capacity { hosts = [] }
            hosts.insert(MemberName(authority))
        }
    }
}
