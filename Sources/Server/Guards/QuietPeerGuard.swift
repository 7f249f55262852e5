import NIOCore
import NIOTLS

/// Cuts off a TLS peer that never finishes its handshake, or that sends and takes nothing any more. The time-outs of HTTP begin
/// only after it, and those of HTTP/2 wait for the peer's consent (threat case WEB-06).
final class QuietPeerGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    /// How long a peer may take.
    struct Patience: Sendable {
        /// Until its handshake is complete.
        var handshake = TimeAmount.seconds(20)
        /// Without a byte in either direction; more than the idle time of HTTP.
        var silence = TimeAmount.seconds(90)
    }

    private let patience: Patience
    private var deadline = NIODeadline.distantFuture
    private var timer: Scheduled<Void>?
    private var isSecure = false

    init(patience: Patience) { self.patience = patience }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { start(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        start(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .some(.handshakeCompleted) = event as? TLSUserEvent {
            isSecure = true
            hear(context)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hear(context)
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        hear(context)
        context.write(data, promise: promise)
    }

    private func hear(_ context: ChannelHandlerContext) {
        if isSecure { deadline = context.eventLoop.now + patience.silence }
    }

    private func start(_ context: ChannelHandlerContext) {
        guard timer == nil else { return }
        deadline = context.eventLoop.now + patience.handshake
        watch(context)
    }

    // There is one timer at a time. It is restarted only when it has fired.
    private func watch(_ context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
            if context.eventLoop.now >= self.deadline { context.close(promise: nil) } else { self.watch(context) }
        }
    }
}
