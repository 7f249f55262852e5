import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Answers `Expect: 100-continue` (RFC 9110 §10.1.1), so that a client with a larger body need not wait before it sends it. The answers to
/// the requests before come first, and a client that has not waited is not told.
final class ContinueResponder: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var unanswered = 0
    // Whether the latest request waits to be told.
    private var isOwed = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch Self.unwrapInboundIn(data) {
        case .head(let head):
            unanswered += 1
            isOwed = head.headerFields[.expect]?.lowercased() == "100-continue" && head.headerFields[.contentLength] != "0"
            answer(context)
        case .body, .end: isOwed = false
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch Self.unwrapOutboundIn(data) {
        case .head(let head):
            // The request itself is answered before its body has come.
            if unanswered == 1, head.status.kind != .informational { isOwed = false }
            context.write(data, promise: promise)
        case .body: context.write(data, promise: promise)
        case .end:
            unanswered = max(unanswered - 1, 0)
            context.write(data, promise: promise)
            answer(context)
        }
    }

    private func answer(_ context: ChannelHandlerContext) {
        guard isOwed, unanswered == 1 else { return }
        isOwed = false
        context.writeAndFlush(Self.wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }
}
