import NIOCore
import NIOTLS

/// Stands behind TLS, where a peer's bytes can be read. It cuts off a peer that never finishes its handshake, or that sends and takes
/// nothing any more: the time-outs of HTTP begin only after the handshake, and those of HTTP/2 wait for the peer's consent (threat case
/// WEB-06). Of HTTP/2 it bounds the settings, see ``SettingsFrames``.
final class TLSPeerGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
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
    // Of a connection that speaks HTTP/2. The handshake says so before any byte of it comes.
    private var frames: SettingsFrames?

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
        if case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent {
            isSecure = true
            if negotiated == "h2" { frames = SettingsFrames() }
            hear(context)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hear(context)
        guard frames != nil else { return context.fireChannelRead(data) }
        guard let bytes = frames?.bounded(Self.unwrapInboundIn(data)) else { return context.close(promise: nil) }
        if bytes.readableBytes > 0 { context.fireChannelRead(Self.wrapInboundOut(bytes)) }
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
