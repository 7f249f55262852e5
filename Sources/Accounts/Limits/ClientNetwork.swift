import Project

/// The network of a client's address: the IPv4 address, or the IPv6 /64, the least that an IPv6 subscriber has
/// (threat case THR-06).
///
/// Many subscribers have a /56 or a /48. What limits guesses, or the use of something that all share, counts by these, too:
/// ``limits(_:)``. What belongs to one account goes by the network alone: the marks of usual networks and the counts that usual networks
/// have of their own. A whole /48 that is usual would let in strangers, and its counts would add rows that limit nothing.
package struct ClientNetwork: Sendable, Hashable {
    /// The network in hexadecimal; `nil` for an unknown address.
    package let key: String?

    // The networks that providers give to one subscriber, and how many times the limit of a /64 each has. This is the one place
    // where they are written down.
    private static let widths = [(bits: 56, factor: 4), (bits: 48, factor: 16)]
    private static let bitsOfIPv6 = 64
    private static let bitsOfDigit = 4

    /// - Parameter address: The client's address; an IPv6 zone is ignored, and IPv4 mapped into IPv6 counts as IPv4.
    package init(_ address: String?) {
        let parsed = address.flatMap { IPAddress(String($0.prefix { $0 != "%" })) }
        key = parsed.map { hexadecimal($0.bytes.prefix($0.bytes.count == 4 ? 4 : Self.bitsOfIPv6 / 8)) }
    }

    private init(key: String) { self.key = key }

    /// A network, and how much of something it may have.
    package struct Limit: Sendable, Hashable {
        /// The keys of wider networks are shorter than that of a /64 and longer than an IPv4 address, so that names of counts differ.
        package let network: ClientNetwork
        package let limit: Int
    }

    /// The limits of what is counted by network, that of the network itself first, then those of the wider ones.
    package func limits(_ limit: Int) -> [Limit] { limits(limit) { limit * $0 } }

    /// The shares of something that all clients have together, the narrowest network's first. A wider one has no more than half of
    /// it, unless a single network may have more.
    package func shares(_ share: Int, of total: Int) -> [Limit] {
        limits(share) { min(share * $0, max(share, total / 2)) }
    }

    /// The widest network around an IPv6 client. None for IPv4 and for unknown addresses, nor around a wider network.
    var widest: ClientNetwork? { limits(0).dropFirst().last?.network }

    private func limits(_ limit: Int, ofWider wider: (Int) -> Int) -> [Limit] {
        let own = Limit(network: self, limit: limit)
        guard let key, key.utf8.count == Self.bitsOfIPv6 / Self.bitsOfDigit else { return [own] }
        return [own]
            + Self.widths.map { width in
                let network = ClientNetwork(key: String(key.prefix(width.bits / Self.bitsOfDigit)))
                return Limit(network: network, limit: wider(width.factor))
            }
    }

    /// The network in a bucket's name; all unknown networks share one.
    var text: String { key ?? "unknown" }
}
