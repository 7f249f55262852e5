import Foundation
import Project

/// An absolute `http` or `https` URL. It is kept as written, because issuers are compared exactly.
package struct WebURL: Sendable, Hashable, CustomStringConvertible {
    /// The URL as written.
    package let text: String
    /// Whether the scheme is `https`.
    package let isSecure: Bool
    /// Host name or address in lower case, IPv6 without brackets.
    package let host: String
    /// The port; `nil` when none is written.
    package let port: Int?
    /// Whether paths may be appended: no query, no trailing slash.
    package let isBase: Bool

    /// `nil` unless the text is an absolute http(s) URL with a host and without credentials or fragment.
    package init?(_ text: String) {
        guard
            let parts = URLComponents(string: text, encodingInvalidCharacters: false),
            let scheme = parts.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = parts.host, !host.isEmpty,
            parts.user == nil, parts.password == nil, parts.fragment == nil,
            parts.port.map({ (1...65535).contains($0) }) ?? true
        else {
            return nil
        }
        self.text = text
        self.isSecure = scheme == "https"
        self.host = host.trimmingCharacters(in: ["[", "]"]).lowercased()
        self.port = parts.port
        self.isBase = parts.query == nil && !parts.path.hasSuffix("/")
    }

    /// Builds the base URL of a listener; an IPv6 host gets its brackets.
    package init(isSecure: Bool, host: String, port: Int) {
        self.text = "\(isSecure ? "https" : "http")://\(Self.bracketed(host)):\(port)"
        self.isSecure = isSecure
        self.host = host.lowercased()
        self.port = port
        self.isBase = true
    }

    /// A well-known `https` base URL. The argument has no scheme.
    init(https hostAndPath: StaticString) {
        let rest = "\(hostAndPath)"
        self.text = "https://\(rest)"
        self.isSecure = true
        self.host = String(rest.prefix { $0 != "/" })
        self.port = nil
        self.isBase = true
    }

    /// Scheme, host and port as a browser sends them in `Origin`: lower case, without the scheme's own port (RFC 6454 §6.1).
    package var origin: String {
        let suffix = port.flatMap { $0 == (isSecure ? 443 : 80) ? nil : ":\($0)" } ?? ""
        return "\(isSecure ? "https" : "http")://\(Self.bracketed(host))\(suffix)"
    }

    /// The URL with its host written as ``host``, so that all readers see the same host; `nil` for a host with escapes. A name is
    /// pinned to an address in the same spelling in which it is resolved (SSR-02).
    package var plainText: String? {
        guard host.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "%") }),
            var parts = URLComponents(string: text, encodingInvalidCharacters: false),
            parts.percentEncodedHost?.contains("%") == false
        else { return nil }
        parts.percentEncodedHost = Self.bracketed(host)
        return parts.string
    }

    /// The URL as written.
    package var description: String { text }

    private static func bracketed(_ host: String) -> String {
        host.contains(":") ? "[\(host)]" : host
    }
}
