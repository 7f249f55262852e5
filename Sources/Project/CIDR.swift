/// A block of addresses such as `10.0.0.0/8` (RFC 4632); a bare address is a block of one.
package struct CIDR: Sendable, Hashable {
    private let network: IPAddress
    private let prefixLength: Int

    /// Nil unless the text is an address with an optional prefix length that fits its family.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let network = IPAddress(String(parts[0])) else { return nil }
        let width = network.bytes.count * 8
        if parts.count == 2 {
            guard parts[1].allSatisfy({ $0.isASCII && $0.isNumber }), let length = Int(parts[1]), length <= width else {
                return nil
            }
            prefixLength = length
        } else {
            prefixLength = width
        }
        self.network = network
    }

    /// Whether the address lies in the block. An address never lies in a block of the other family.
    package func contains(_ address: IPAddress) -> Bool {
        address.bytes.count == network.bytes.count && address.matches(prefix: network.bytes, bits: prefixLength)
    }
}
