import HTTPTypes
import Hummingbird
import Project

/// The host that a request names (RFC 9112 §3.2, RFC 9113 §8.3.1).
enum HostHeader {
    /// Makes sure that a request names exactly one host, in a form that one can have.
    ///
    /// - Parameters:
    ///   - request: The request; what HTTP/1.1 says in its first `Host` has become the authority.
    ///   - isHTTP2: Whether `Host` may repeat the authority or stand for it, as gateways have it do.
    /// - Returns: The request with that host as its authority.
    /// - Throws: ``TransportError``.
    static func settle(_ request: Request, isHTTP2: Bool) throws -> Request {
        let others = request.headers[values: .host]
        guard let authority = request.head.authority ?? (isHTTP2 ? others.first : nil) else { throw TransportError.noHost }
        guard isHTTP2 ? others.allSatisfy({ $0.utf8.elementsEqual(authority.utf8) }) : others.isEmpty else {
            throw TransportError.severalHosts
        }
        guard isValid(authority) else { throw TransportError.invalidHost }
        if request.head.authority != nil { return request }
        var head = request.head
        head.authority = authority
        return Request(head: head, body: request.body)
    }

    /// Whether a text is a host and perhaps a port: a name, an address, a service's name in a container network, or nothing (RFC 9112
    /// §3.2 has an empty one for targets without an authority). A trailing dot is refused, and so are characters that no name of a
    /// host has, though RFC 3986 has room for them.
    static func isValid(_ text: String) -> Bool {
        text.isEmpty || Authority(text) != nil || ServiceName(authority: text) != nil
    }
}

extension Request {
    /// The host that the request names; `nil` where it names none, as requests of HTTP/1.0 may, or an empty one.
    var namedHost: String? { head.authority.flatMap { $0.isEmpty ? nil : $0 } }
}
