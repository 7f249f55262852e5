import NIOCore
import NIOHTTP1

/// Lets requests of HTTP/1.0 name no host, as that version's may (RFC 9112 §3.2): they name an empty one from here on. Checks of load
/// balancers are such requests.
final class OldVersionHost: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = Self.unwrapInboundIn(data), head.version == .http1_0, !head.headers.contains(name: "Host")
        else { return context.fireChannelRead(data) }
        head.headers.add(name: "Host", value: "")
        context.fireChannelRead(Self.wrapInboundOut(.head(head)))
    }
}
