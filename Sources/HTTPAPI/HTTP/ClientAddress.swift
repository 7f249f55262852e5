package import HTTPTypes
import Hummingbird
package import Project

/// Finds the client's address behind trusted proxies (`server.trustedProxies`, threat case THR-05).
package struct ClientAddress: Sendable {
    let trusted: [CIDR]

    package init(trusted: [CIDR]) { self.trusted = trusted }

    func resolve(_ request: Request, _ context: PosternContext) -> String? {
        guard let peer = context.remoteAddress?.ipAddress else { return nil }
        return resolve(peer: peer, request.head)
    }

    /// Finds the client's address.
    package func resolve(peer: String, _ head: HTTPRequest) -> String {
        resolve(peer: peer, forwardedFor: head.headerFields[.forwardedFor] ?? "")
    }

    /// Walks from the peer backwards through the header while the current hop is trusted.
    ///
    /// - Parameter forwardedFor: The header, nearest hop last.
    package func resolve(peer: String, forwardedFor: String) -> String {
        var address = peer
        // The header is split by bytes, because splitting untrusted text by characters can take quadratic time.
        for hop in forwardedFor.utf8.split(separator: UInt8(ascii: ",")).reversed() {
            guard let current = IPAddress(address), trusted.contains(where: { $0.contains(current) }) else { break }
            guard let named = Self.address(of: hop) else { break }
            address = named
        }
        return address
    }

    // An address as a proxy writes it: bare, or in the form of an authority, with a port (Azure's Application Gateway) or in brackets.
    private static func address(of hop: Substring.UTF8View) -> String? {
        let text = String(decoding: hop.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }, as: UTF8.self)
        if IPAddress(text) != nil { return text }
        return Authority(text)?.host.address?.text
    }
}
