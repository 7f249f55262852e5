import HTTPTypes
import Hummingbird
import Project

/// The rules for the host of a request (RFC 9112 §3.2, RFC 9113 §8.3.1).
enum HostHeader {
    /// Makes sure that a request names exactly one valid host.
    ///
    /// - Parameters:
    ///   - request: The request; in HTTP/1.1 its first `Host` has already become the authority.
    ///   - isHTTP2: Whether `Host` may repeat or replace the authority, as some gateways send it.
    ///   - isKnown: Whether the authority passed before, so that it need not be read again.
    static func settle(_ request: Request, isHTTP2: Bool, isKnown: Bool) throws -> Request {
        let others = request.headers[values: .host]
        guard let authority = request.head.authority ?? (isHTTP2 ? others.first : nil) else { throw TransportError.noHost }
        guard isHTTP2 ? others.allSatisfy({ $0.utf8.elementsEqual(authority.utf8) }) : others.isEmpty else {
            throw TransportError.severalHosts
        }
        guard isKnown || isValid(authority) else { throw TransportError.invalidHost }
        if request.head.authority != nil { return request }
        var head = request.head
        head.authority = authority
        return Request(head: head, body: request.body)
    }

    /// Whether a text is a host with an optional port: a name, an address, a service's name in a container network, or empty
    /// (RFC 9112 §3.2 has an empty one for targets without an authority). A trailing dot is refused, and so are characters that
    /// RFC 3986 allows but no host name has.
    static func isValid(_ text: String) -> Bool {
        text.isEmpty || Authority(text) != nil || ServiceName(authority: text) != nil
    }
}

extension Request {
    /// The host of the request; `nil` when it is empty or missing, as in HTTP/1.0.
    var namedHost: String? { head.authority.flatMap { $0.isEmpty ? nil : $0 } }
}
