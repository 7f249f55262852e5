/// An absolute `http` or `https` URL. Its host is read once, by our own parser, from the text as written. So no two readers of
/// the URL can see two hosts in it.
package struct WebAddress: Sendable, Hashable {
    /// Whether the scheme is `https`.
    package let isSecure: Bool
    /// Host and port.
    package let authority: Authority
    /// Path, query and fragment as written.
    package let rest: String

    package var host: HostName { authority.host }

    /// Reads a URL. The text after the authority is not checked.
    ///
    /// - Returns: `nil` for another scheme, and for an authority with a user name, an escape or a backslash, or that is
    ///   malformed.
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

/// The hosts whose pages may sign users in and may be redirected to: `authorizedDomains` and the server's own host
/// (`Docs/Contract/rulings.md` 29). The server's own host authorizes only itself.
package struct AuthorizedHosts: Sendable {
    package let listed: [HostName]
    private let own: HostName?

    /// - Parameters:
    ///   - domains: `authorizedDomains`. Entries that are not hosts, such as Chrome extensions, authorize none.
    ///   - publicURL: `server.publicURL`; `nil` when the server's own host does not count.
    package init(_ domains: [String], publicURL: String?) {
        listed = domains.compactMap(HostName.init)
        own = publicURL.flatMap(WebAddress.init)?.host
    }

    package func contains(_ host: HostName) -> Bool { host == own || listed.contains { $0.authorizes(host) } }
}
