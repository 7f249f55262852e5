/// Decides which URLs and addresses outgoing calls may reach (`outbound.allowPrivateNetworks`, threat cases SSR-01 to SSR-03).
package struct NetworkGuard: Sendable {
    /// Whether loopback, link-local and private addresses, and plain `http`, are allowed (`Docs/Contract/rulings.md` 1).
    package let allowPrivateNetworks: Bool

    package init(allowPrivateNetworks: Bool) { self.allowPrivateNetworks = allowPrivateNetworks }

    /// Whether a URL of that scheme may be called at all.
    package func allows(scheme: String) -> Bool {
        switch scheme.lowercased() {
        case "https": true
        case "http": allowPrivateNetworks
        default: false
        }
    }

    /// Whether a resolved address may be connected to.
    package func allows(_ address: IPAddress) -> Bool { allowPrivateNetworks || address.isGloballyReachable }
}

/// An IPv4 or IPv6 address in network byte order: 4 or 16 bytes.
package struct IPAddress: Sendable, Hashable {
    package let bytes: [UInt8]

    /// Takes 4 or 16 bytes; an IPv4 address mapped into IPv6 (`::ffff:a.b.c.d`) becomes IPv4, so that it has one form.
    package init?(bytes: [UInt8]) {
        switch bytes.count {
        case 4: self.bytes = bytes
        case 16: self.bytes = Self.mappedPrefix.elementsEqual(bytes.prefix(12)) ? Array(bytes.suffix(4)) : bytes
        default: return nil
        }
    }

    private static let mappedPrefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]

    // The special-purpose blocks of RFC 6890 and its registry that are not globally reachable, and multicast.
    private static let reservedIPv4: [(prefix: [UInt8], bits: Int)] = [
        ([0], 8), ([10], 8), ([100, 64], 10), ([127], 8), ([169, 254], 16), ([172, 16], 12), ([192, 0, 0], 24),
        ([192, 0, 2], 24), ([192, 88, 99], 24), ([192, 168], 16), ([198, 18], 15), ([198, 51, 100], 24),
        ([203, 0, 113], 24), ([224], 4), ([240], 4),
    ]

    // Within 2000::/3, beyond which there is no global unicast address (RFC 4291 §2.4).
    private static let reservedIPv6: [(prefix: [UInt8], bits: Int)] = [
        ([0x20, 0x01, 0], 23), ([0x20, 0x01, 0x0d, 0xb8], 32), ([0x20, 0x02], 16), ([0x3f, 0xff], 20),
    ]

    /// Whether the address belongs to the public Internet (RFC 6890 and the IANA special-purpose registries).
    package var isGloballyReachable: Bool {
        let isIPv4 = bytes.count == 4
        guard isIPv4 || matches(prefix: [0x20], bits: 3) else { return false }
        let reserved = isIPv4 ? Self.reservedIPv4 : Self.reservedIPv6
        return !reserved.contains { matches(prefix: $0.prefix, bits: $0.bits) }
    }

    /// Whether the first `bits` bits equal those of `prefix`, which is padded with zeros.
    package func matches(prefix: [UInt8], bits: Int) -> Bool {
        for index in 0..<bytes.count {
            let remaining = bits - index * 8
            guard remaining > 0 else { return true }
            let mask: UInt8 = remaining >= 8 ? 0xff : ~(0xff >> UInt8(remaining))
            let expected = index < prefix.count ? prefix[index] : 0
            if bytes[index] & mask != expected & mask { return false }
        }
        return true
    }
}
