import NIOCore
import NIOHTTP1

/// Finds out whether a client of HTTP/1.1 that has ended its side of the connection still waits for its answer: one that has hung up
/// looks the same until it is sent something (threat case RES-06).
///
/// `102` says nothing to a client that waits (RFC 9110 §15.2). For one that has hung up, its system refuses it, which closes the
/// connection and cancels the work. It is sent only where an answer takes longer than a moment.
final class HangUpProbe: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private static let pause = TimeAmount.seconds(1)

    private var unanswered = 0
    private var hasAnswerBegun = false
    // HTTP/1.0 knows no such answer.
    private var isOld = false
    private var timer: Scheduled<Void>?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = Self.unwrapInboundIn(data) {
            unanswered += 1
            if head.version != .http1_1 { isOld = true }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch Self.unwrapOutboundIn(data) {
        case .head(let head): hasAnswerBegun = head.status.code >= 200
        case .body: break
        case .end:
            hasAnswerBegun = false
            unanswered -= 1
        }
        context.write(data, promise: promise)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed, timer == nil { watch(context) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    private func watch(_ context: ChannelHandlerContext) {
        guard !isOld, unanswered > 0 else { return }
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) { self.probe(context) }
    }

    private func probe(_ context: ChannelHandlerContext) {
        if unanswered > 0, !hasAnswerBegun {
            let head = HTTPResponseHead(version: .http1_1, status: .processing)
            context.writeAndFlush(Self.wrapOutboundOut(.head(head)), promise: nil)
        }
        watch(context)
    }
}
