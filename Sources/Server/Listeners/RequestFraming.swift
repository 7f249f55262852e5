import NIOCore
import NIOHTTP1

/// Keeps requests to the framing that every reader understands alike, and those of HTTP/1.0 to what that version knows (RFC 9112 §3.2 and
/// §6.1, RFC 9110 §10.1.1; threat case WEB-14). It stands behind the decoder.
///
/// A request of HTTP/1.0 may name no host, as checks of load balancers do: it names an empty one from here on. An expectation of it is
/// ignored.
///
/// No tunnel is made for CONNECT, and the bytes behind it are no request, so the connection ends with the answer.
final class RequestFraming: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// A body in a coding besides `chunked`.
    struct UnknownCoding: Error {
        let method: HTTPMethod
    }

    // How long the connection stays for the answer, and for those to the requests before.
    private static let patience = TimeAmount.seconds(10)

    private let decoder: RequestDecoder
    // Nothing behind a body whose end is unclear is a request.
    private var isOver = false

    init(_ decoder: RequestDecoder) { self.decoder = decoder }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isOver { return }
        let part = Self.unwrapInboundIn(data)
        decoder.wasRead(part)
        guard case .head(var head) = part else { return context.fireChannelRead(data) }
        if let fault = Self.fault(head) {
            isOver = true
            context.fireErrorCaught(fault)
            context.eventLoop.assumeIsolated().scheduleTask(in: Self.patience) { context.close(promise: nil) }
            return
        }
        guard head.version == .http1_0 || head.method == .CONNECT else { return context.fireChannelRead(data) }
        if head.method == .CONNECT { head.headers.replaceOrAdd(name: "Connection", value: "close") }
        if head.version == .http1_0 {
            if !head.headers.contains(name: "Host") { head.headers.add(name: "Host", value: "") }
            head.headers.remove(name: "Expect")
        }
        context.fireChannelRead(Self.wrapInboundOut(.head(head)))
    }

    private static func fault(_ head: HTTPRequestHead) -> (any Error)? {
        let codings = head.headers[canonicalForm: "Transfer-Encoding"]
        guard !codings.isEmpty else { return nil }
        // HTTP/1.0 has no such field, and without `chunked` at the end nothing says where a body ends: it would end elsewhere for another
        // reader.
        guard head.version == .http1_1, codings.last?.lowercased() == "chunked" else { return HTTPParserError.invalidHeaderToken }
        return codings.count == 1 ? nil : UnknownCoding(method: head.method)
    }
}
