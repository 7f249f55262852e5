import Accounts
import Project

/// The open connections of a listener, and which of them go when others come (threat case RES-04).
///
/// A connection waits while it is its client's turn: to send a request, the rest of one, or nothing at all. Those that wait can be
/// ended, the one that has waited longest first. A connection whose request is being worked on is never ended for another.
final class House: Sendable {
    /// How many connections there may be.
    struct Rules: Sendable {
        /// All of them.
        var total: Int
        /// Those of one client address. The wider networks of an IPv6 client have several times as many.
        var perAddress: Int
        /// Further connections, which may only request the server's health.
        var reserve: Int

        /// Those of a wider network.
        func share(of wider: ClientNetwork.Wider) -> Int { wider.share(perAddress, of: total) }
    }

    /// A connection that was let in.
    struct Lodger: Sendable, Hashable {
        fileprivate let number: UInt64
        /// Whether it was accepted when there was no room. It may only request the server's health.
        let isGuest: Bool
    }

    private let rules: Rules
    private let register = LockedState(Register())

    init(_ rules: Rules) { self.rules = rules }

    /// How many connections there are.
    var count: Int { register.withLock { $0.entries.count } }

    /// Lets a connection in, perhaps in the place of others.
    ///
    /// - Parameters:
    ///   - isProxy: Whether it is a trusted proxy's: those have no share and are ended last.
    ///   - end: Called once at most, on any thread, and not after ``leave(_:)``.
    /// - Returns: `nil` where there is no room even for guests.
    func enter(from network: ClientNetwork?, isProxy: Bool, end: @escaping @Sendable () -> Void) -> Lodger? {
        let (lodger, ended) = register.withLock { $0.enter(rules, isProxy ? .proxies : .strangers, network, end) }
        ended?()
        return lodger
    }

    /// A connection has closed.
    func leave(_ lodger: Lodger) { register.withLock { $0.remove(lodger.number) } }

    /// The connection's request is complete, and the server works on it.
    func works(_ lodger: Lodger) { register.withLock { $0.works(lodger.number) } }

    /// The connection's request is answered, and the connection waits for its client.
    func waits(_ lodger: Lodger) { register.withLock { $0.waits(lodger.number) } }
}

extension House {
    private enum Kind { case strangers, proxies, guests }

    private struct Entry {
        let kind: Kind
        /// The network and the wider ones; none where there is no share.
        let networks: [ClientNetwork]
        let end: @Sendable () -> Void
    }

    private struct Household {
        var count = 0
        var line = WaitingLine()
    }

    private struct Register {
        private(set) var entries: [UInt64: Entry] = [:]
        private var lines: [Kind: WaitingLine] = [:]
        private var households: [ClientNetwork: Household] = [:]
        private var guests = 0
        private var lastNumber: UInt64 = 0

        mutating func enter(
            _ rules: Rules,
            _ kind: Kind,
            _ network: ClientNetwork?,
            _ end: @escaping @Sendable () -> Void
        ) -> (Lodger?, (@Sendable () -> Void)?) {
            var ended: (@Sendable () -> Void)?
            let household = kind == .proxies ? nil : network
            let isFull = entries.count - guests >= rules.total
            let used = household.flatMap { self.used($0, rules) }
            if let used {
                ended = evict(households[used]?.line.first)
            } else if isFull {
                ended = evict(lines[.strangers]?.first ?? lines[.proxies]?.first)
            }
            guard used != nil || isFull, ended == nil else { return (add(kind, household, end), ended) }
            if guests >= rules.reserve {
                ended = evict(lines[.guests]?.first)
                guard ended != nil else { return (nil, nil) }
            }
            return (add(.guests, nil, end), ended)
        }

        mutating func works(_ number: UInt64) {
            guard let entry = entries[number] else { return }
            lines[entry.kind]?.leave(number)
            for network in entry.networks { households[network]?.line.leave(number) }
        }

        mutating func waits(_ number: UInt64) {
            guard let entry = entries[number] else { return }
            lines[entry.kind, default: WaitingLine()].join(number)
            for network in entry.networks { households[network]?.line.join(number) }
        }

        mutating func remove(_ number: UInt64) {
            // It stands in no line any more.
            works(number)
            guard let entry = entries.removeValue(forKey: number) else { return }
            if entry.kind == .guests { guests -= 1 }
            for network in entry.networks {
                households[network]?.count -= 1
                if households[network]?.count == 0 { households[network] = nil }
            }
        }

        // The narrowest of a client's networks that has used its share. A connection that leaves it leaves the wider ones, too.
        private func used(_ network: ClientNetwork, _ rules: Rules) -> ClientNetwork? {
            if count(network) >= rules.perAddress { return network }
            return network.wider.first { count($0.network) >= rules.share(of: $0) }?.network
        }

        private func count(_ network: ClientNetwork) -> Int { households[network]?.count ?? 0 }

        private mutating func add(_ kind: Kind, _ network: ClientNetwork?, _ end: @escaping @Sendable () -> Void) -> Lodger {
            lastNumber += 1
            let networks = network?.withWider ?? []
            entries[lastNumber] = Entry(kind: kind, networks: networks, end: end)
            if kind == .guests { guests += 1 }
            for network in networks { households[network, default: Household()].count += 1 }
            waits(lastNumber)
            return Lodger(number: lastNumber, isGuest: kind == .guests)
        }

        private mutating func evict(_ number: UInt64?) -> (@Sendable () -> Void)? {
            guard let number, let entry = entries[number] else { return nil }
            remove(number)
            return entry.end
        }
    }
}
