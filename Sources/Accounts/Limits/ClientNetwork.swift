import Project

/// The network of a client's address: the IPv4 address, or the IPv6 /64, the least that an IPv6 subscriber has
/// (threat case THR-06).
///
/// Many subscribers have a /56 or a /48. What limits guesses, or the use of something that all share, counts by these, too:
/// ``wider``. What belongs to one account goes by the network alone: the marks of usual networks and the counts that usual networks
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

    /// A network around a client's, which many clients may share.
    package struct Wider: Sendable, Hashable {
        /// The network. Its key is shorter than that of a /64 and longer than an IPv4 address, so that names of counts differ.
        package let network: ClientNetwork
        /// How many times the limit of a single network it has.
        fileprivate let factor: Int

        /// The limit of what is counted by network.
        package func limit(_ limit: Int) -> Int { limit * factor }

        /// The share of something that all clients have together: no more than half of it, unless a single network may have more.
        package func share(_ share: Int, of total: Int) -> Int { min(limit(share), max(share, total / 2)) }
    }

    /// The wider networks of an IPv6 client, the narrowest first. None for IPv4 and for unknown addresses, nor around a wider network.
    package var wider: [Wider] {
        guard let key, key.utf8.count == Self.bitsOfIPv6 / Self.bitsOfDigit else { return [] }
        return Self.widths.map {
            Wider(network: ClientNetwork(key: String(key.prefix($0.bits / Self.bitsOfDigit))), factor: $0.factor)
        }
    }

    /// The network and the wider ones, the narrowest first.
    package var withWider: [ClientNetwork] { [self] + wider.map(\.network) }

    /// The network in a bucket's name; all unknown networks share one.
    var text: String { key ?? "unknown" }
}
