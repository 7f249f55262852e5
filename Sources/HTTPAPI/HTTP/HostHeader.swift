import HTTPTypes
import Hummingbird
import Project

/// The host that a request names (RFC 9112 §3.2, RFC 9113 §8.3.1).
enum HostHeader {
    private static let maximumBytes = 255
    private static let maximumPort = 65_535

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
        guard isValid(authority.utf8) else { throw TransportError.invalidHost }
        if request.head.authority != nil { return request }
        var head = request.head
        head.authority = authority
        return Request(head: head, body: request.body)
    }

    /// Whether bytes are a host and perhaps a port: a name, an address, or nothing (RFC 9112 §3.2 has an empty one for targets
    /// without an authority). Characters that no name of a host has are refused, though RFC 3986 has room for them.
    static func isValid(_ bytes: String.UTF8View) -> Bool {
        guard bytes.count <= maximumBytes else { return false }
        guard bytes.first == UInt8(ascii: "[") else {
            let host = bytes.prefix { $0 != UInt8(ascii: ":") }
            return host.allSatisfy(isOfName) && isPort(bytes[host.endIndex...])
        }
        guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return false }
        let address = String(decoding: bytes[bytes.index(after: bytes.startIndex)..<end], as: UTF8.self)
        return IPAddress(address) != nil && address.utf8.contains(UInt8(ascii: ":")) && isPort(bytes[bytes.index(after: end)...])
    }

    private static func isPort(_ bytes: Substring.UTF8View) -> Bool {
        if bytes.isEmpty { return true }
        let digits = bytes.dropFirst()
        guard bytes.first == UInt8(ascii: ":"), digits.count <= 5, digits.allSatisfy(isDigit) else { return false }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } <= maximumPort
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"):
            true
        default: isDigit(byte)
        }
    }
}
