/// An absolute `http` or `https` URL whose host has been read: once, by our own parser, from the text as it stands. No two readers of
/// the URL can then see two hosts in it.
package struct WebAddress: Sendable, Hashable {
    /// Whether the scheme is `https`.
    package let isSecure: Bool
    /// Host and port.
    package let authority: Authority
    /// Path, query and fragment as written.
    package let rest: String

    /// The host.
    package var host: HostName { authority.host }

    /// Reads a URL. What stands behind the authority is not judged.
    ///
    /// - Returns: `nil` for another scheme, and for an authority that is none: with a user name, an escape, a backslash.
    package init?(_ text: String) {
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else { return nil }
        switch Self.scheme(bytes[..<colon]) {
        case "https": isSecure = true
        case "http": isSecure = false
        default: return nil
        }
        let start = bytes.index(colon, offsetBy: 3)
        let end = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
        guard let authority = Authority(String(text[start..<end])) else { return nil }
        self.authority = authority
        rest = String(text[end...])
    }

    /// Scheme, host and port as a browser sends them in `Origin`: without the scheme's own port (RFC 6454 §6.1).
    package var origin: String {
        let port = authority.port == (isSecure ? 443 : 80) ? nil : authority.port
        return "\(isSecure ? "https" : "http")://\(Authority(host: host, port: port))"
    }

    private static func scheme(_ bytes: Substring.UTF8View) -> String {
        bytes.count > 5 ? "" : String(decoding: bytes.map { $0 | 0x20 }, as: UTF8.self)
    }
}

/// The hosts whose pages may sign in and be led to: `authorizedDomains`, and the server's own (`contract/rulings.md` 29). The own host
/// authorizes exactly itself.
package struct AuthorizedHosts: Sendable {
    /// The entries that are hosts.
    package let listed: [HostName]
    private let own: HostName?

    /// - Parameters:
    ///   - domains: `authorizedDomains`; what is no host, such as an extension of Chrome, authorizes none.
    ///   - publicURL: `server.publicURL`; `nil` where the own host does not count.
    package init(_ domains: [String], publicURL: String?) {
        listed = domains.compactMap(HostName.init)
        own = publicURL.flatMap(WebAddress.init)?.host
    }

    /// Whether a host is authorized.
    package func contains(_ host: HostName) -> Bool { host == own || listed.contains { $0.authorizes(host) } }
}
