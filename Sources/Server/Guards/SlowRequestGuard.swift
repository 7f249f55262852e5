import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Cuts off a client that does not finish its request: one that sends it in drops, and one that begins it and then keeps silent. Of an
/// HTTP/2 connection it ends the stream (threat case WEB-06).
///
/// A request that comes as a whole costs no timer.
final class SlowRequestGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart

    /// What waits for the rest of a request gets this.
    struct TooSlow: Error {}

    private let patience: TimeAmount
    private var deadline: NIODeadline?
    private var timer: Scheduled<Void>?

    /// - Parameter patience: How long the parts of a request may take, from its head to its end.
    init(patience: TimeAmount) { self.patience = patience }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch Self.unwrapInboundIn(data) {
        case .head: deadline = context.eventLoop.now + patience
        case .end: deadline = nil
        case .body: break
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if timer == nil { watch(context) }
        context.fireChannelReadComplete()
    }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { stop() }

    // One timer at a time, which is set anew only when it has run out.
    private func watch(_ context: ChannelHandlerContext) {
        timer = deadline.map { deadline in
            context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { self.look(context) }
        }
    }

    private func look(_ context: ChannelHandlerContext) {
        guard let deadline, context.eventLoop.now >= deadline else { return watch(context) }
        // What has come of the body must not pass for all of it.
        context.fireErrorCaught(TooSlow())
        context.close(promise: nil)
    }

    private func stop() {
        timer?.cancel()
        timer = nil
        deadline = nil
    }
}
