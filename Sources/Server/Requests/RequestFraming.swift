import HTTPTypes
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Keeps requests of HTTP/1.1 to the framing that every reader understands alike, and those of HTTP/1.0 to what that version knows
/// (RFC 9112 §3.2 and §6.1, RFC 9110 §10.1.1; threat case WEB-14).
///
/// A request of HTTP/1.0 may name no host, as checks of load balancers do: it names an empty one from here on. An expectation of it is
/// ignored.
///
/// No tunnel is made for CONNECT, and the bytes behind it are no request, so the connection ends with the answer.
struct RequestFraming {
    /// A body in a coding besides `chunked`.
    struct UnknownCoding: Error {
        let method: HTTPMethod
    }

    /// Whether a request could not be read. Nothing behind a body whose end is unclear is a request.
    private(set) var isOver = false
    /// Whether a request of the connection was of HTTP/1.0.
    private(set) var isOld = false

    /// A part of a request in the form that knows no protocol.
    mutating func part(_ part: HTTPServerRequestPart) throws -> HTTPRequestPart {
        switch part {
        case .head(let head):
            do { return .head(try request(head)) } catch {
                isOver = true
                throw error
            }
        case .body(let bytes): return .body(bytes)
        case .end(let trailers): return .end(trailers.map { HTTPFields($0, splitCookie: false) })
        }
    }

    private mutating func request(_ read: HTTPRequestHead) throws -> HTTPRequest {
        var head = read
        try Self.check(head)
        if head.method == .CONNECT { head.headers.replaceOrAdd(name: "Connection", value: "close") }
        if head.version != .http1_1 { isOld = true }
        if head.version == .http1_0 {
            if !head.headers.contains(name: "Host") { head.headers.add(name: "Host", value: "") }
            head.headers.remove(name: "Expect")
        }
        return try HTTPRequest(head, secure: false, splitCookie: false)
    }

    private static func check(_ head: HTTPRequestHead) throws {
        let codings = head.headers[canonicalForm: "Transfer-Encoding"]
        guard !codings.isEmpty else { return }
        // HTTP/1.0 has no such field, and without `chunked` at the end nothing says where a body ends: it would end elsewhere for another
        // reader.
        guard head.version == .http1_1, codings.last?.lowercased() == "chunked" else { throw HTTPParserError.invalidHeaderToken }
        if codings.count > 1 { throw UnknownCoding(method: head.method) }
    }
}
