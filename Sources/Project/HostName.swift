/// A host, whole and valid: a DNS name or an IP address. Only its own parser makes one, so a value of this type may be compared
/// with other hosts and may stand in a URL (`Docs/Contract/rulings.md` 29, threat case OOB-09).
///
/// A name has ASCII letters, digits and hyphens in labels of 1 to 63 bytes that neither begin nor end with a hyphen, 253 bytes at most
/// (RFC 1123 §2.1). Nothing is decoded: user names, ports, paths, percent-encoding, backslashes, underscores and trailing dots are
/// refused, and so are names that end in a number, which browsers read as IPv4 addresses (WHATWG URL, host parser). An
/// internationalized name is taken in its ASCII form (`xn--…`, RFC 5890) only.
package struct HostName: Sendable, Hashable, CustomStringConvertible {
    /// In lower case; an address in its canonical form (RFC 5952), IPv6 without brackets.
    package let text: String
    /// `nil` for a name.
    package let address: IPAddress?

    fileprivate static let longestName = 253
    private static let longestLabel = 63

    /// Reads a host. IPv6 is taken without brackets; those belong to an ``Authority``.
    package init?(_ text: String) {
        let bytes = text.utf8
        guard (1...Self.longestName).contains(bytes.count) else { return nil }
        if bytes.contains(UInt8(ascii: ":")) {
            // A browser reads an IPv4 address mapped into IPv6 as another host than Postern does.
            guard bytes.allSatisfy({ Self.isHexadecimal($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }),
                let address = IPAddress(text), address.bytes.count == 16
            else { return nil }
            self.init(address.text, address)
            return
        }
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let last = labels.last, labels.allSatisfy(Self.isLabel) else { return nil }
        guard Self.isNumber(last) else {
            self.init(String(decoding: bytes.map(Self.lowercased), as: UTF8.self), nil)
            return
        }
        guard let address = IPAddress(text), address.bytes.count == 4, address.text == text else { return nil }
        self.init(text, address)
    }

    private init(_ text: String, _ address: IPAddress?) {
        self.text = text
        self.address = address
    }

    /// The host in the form for URLs: IPv6 in brackets.
    package var description: String { text.utf8.contains(UInt8(ascii: ":")) ? "[\(text)]" : text }

    /// Whether an entry of `authorizedDomains` authorizes a host. An entry authorizes itself, and a name with a dot in it also
    /// authorizes the names below it.
    package func authorizes(_ host: HostName) -> Bool { host == self || host.isBelow(self) }

    /// Whether a host is a name below another one that has a dot in it.
    package func isBelow(_ other: HostName) -> Bool {
        guard address == nil, other.address == nil, other.text.utf8.contains(UInt8(ascii: ".")) else { return false }
        return text.utf8.count > other.text.utf8.count + 1 && text.utf8.reversed().starts(with: ".\(other.text)".utf8.reversed())
    }

    /// Whether bytes are a label of a name (RFC 1123 §2.1).
    package static func isLabel(_ label: Substring.UTF8View) -> Bool { isLabel(label, allowing: nil) }

    fileprivate static func isLabel(_ label: Substring.UTF8View, allowing further: UInt8?) -> Bool {
        (1...longestLabel).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
            && label.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowercased(byte)) || isDigit(byte) || byte == UInt8(ascii: "-")
                    || byte == further
            }
    }

    // Browsers read a last label of digits, or of `0x` and hexadecimal digits, as a part of an IPv4 address.
    fileprivate static func isNumber(_ label: Substring.UTF8View) -> Bool {
        if label.allSatisfy(isDigit) { return true }
        let digits = label.dropFirst(2)
        return label.starts(with: "0x".utf8) && digits.allSatisfy(isHexadecimal)
            || label.starts(with: "0X".utf8) && digits.allSatisfy(isHexadecimal)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(lowercased(byte))
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

/// A host and perhaps a port, as `Host` and URLs have them (RFC 3986 §3.2), without a user.
package struct Authority: Sendable, Hashable, CustomStringConvertible {
    package let host: HostName
    /// `nil` when no port is written.
    package let port: Int?

    package init(host: HostName, port: Int?) {
        self.host = host
        self.port = port
    }

    /// Reads `host`, `host:port`, `[IPv6]` or `[IPv6]:port`; the port has neither sign nor leading zero.
    package init?(_ text: String) {
        guard text.utf8.count <= 300 else { return nil }
        let bytes = text.utf8
        let end: String.Index
        if bytes.first == UInt8(ascii: "[") {
            guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")),
                let host = HostName(String(text[bytes.index(after: bytes.startIndex)..<bracket])), host.address?.bytes.count == 16
            else { return nil }
            self.host = host
            end = bytes.index(after: bracket)
        } else {
            end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
            guard let host = HostName(String(text[..<end])) else { return nil }
            self.host = host
        }
        guard let ending = Port(after: bytes[end...]) else { return nil }
        port = ending.number
    }

    /// The authority in the form for URLs.
    package var description: String { port.map { "\(host):\($0)" } ?? host.description }
}

/// The name of a service in a container network: as a ``HostName``, but its labels may have underscores. No host of the Internet
/// has such a name.
package struct ServiceName: Sendable {
    /// Whether it has no dots.
    package let isSingleLabel: Bool

    /// Reads `name` or `name:port`.
    package init?(authority text: String) {
        let bytes = text.utf8
        let name = bytes.prefix { $0 != UInt8(ascii: ":") }
        guard name.count <= HostName.longestName, Port(after: bytes[name.endIndex...]) != nil else { return nil }
        let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let last = labels.last, labels.allSatisfy({ HostName.isLabel($0, allowing: UInt8(ascii: "_")) }),
            !HostName.isNumber(last)
        else { return nil }
        isSingleLabel = labels.count == 1
    }
}

/// The text after a host in an authority: nothing, or a port with neither sign nor leading zero.
private struct Port {
    let number: Int?

    init?(after host: Substring.UTF8View) {
        guard let first = host.first else {
            number = nil
            return
        }
        let digits = host.dropFirst()
        guard first == UInt8(ascii: ":"), (1...5).contains(digits.count), digits.first != UInt8(ascii: "0"),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int(String(decoding: digits, as: UTF8.self)), number <= 65_535
        else { return nil }
        self.number = number
    }
}
