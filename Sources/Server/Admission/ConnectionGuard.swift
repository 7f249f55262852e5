import Accounts
import NIOCore

/// Lets a connection in, before any of its bytes are read, and has it ended when others need its place. It is the first of a
/// connection's handlers: ending waits for nothing that its peer would have to agree to, TLS's goodbye for one.
final class ConnectionGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    let listenerLimits: ListenerLimits
    /// The network of the peer; `nil` for a trusted proxy's, and where it is not known.
    private(set) var network: ClientNetwork?
    /// Whether nothing but the server's health may be asked for.
    var isHealthOnly: Bool { ticket?.isHealthOnly == true }

    /// Ends the connection; may be called on any thread.
    private(set) var cut: @Sendable () -> Void = {}

    /// How many requests, of all streams, have an answer that the client has not taken as a whole.
    var exchanges = 0

    /// Whether the server stops.
    private(set) var isStopping = false

    // How long a connection without a request stays once the server stops: its client may still have to hear of it.
    private static let lastPatience = TimeAmount.seconds(1)

    private var ticket: ConnectionLimiter.Ticket?
    private var requestsAtWork = 0
    private var watch: Scheduled<Void>?

    init(_ listenerLimits: ListenerLimits) { self.listenerLimits = listenerLimits }

    /// A request is complete.
    func begin() {
        requestsAtWork += 1
        if requestsAtWork == 1, let ticket { listenerLimits.connections.works(ticket) }
    }

    /// A complete request has been answered, or given up.
    func end() {
        requestsAtWork -= 1
        if requestsAtWork == 0, let ticket { listenerLimits.connections.waits(ticket) }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { enter(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        enter(context)
        if ticket != nil { context.fireChannelActive() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { leave() }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent, !isStopping {
            isStopping = true
            look(context, wasIdle: false)
        }
        context.fireUserInboundEventTriggered(event)
    }

    // Ends a connection that does not end by itself: its peer has not finished its handshake, or does not answer HTTP/2's
    // goodbye.
    private func look(_ context: ChannelHandlerContext, wasIdle: Bool) {
        let isIdle = exchanges == 0
        if isIdle, wasIdle { return context.close(promise: nil) }
        watch = context.eventLoop.assumeIsolated().scheduleTask(in: Self.lastPatience) {
            self.look(context, wasIdle: isIdle)
        }
    }

    private func enter(_ context: ChannelHandlerContext) {
        guard ticket == nil else { return }
        let address = context.channel.remoteAddress?.ipAddress
        network = listenerLimits.isProxy(address) ? nil : address.map { ClientNetwork($0) }
        let (loop, bound) = (context.eventLoop, NIOLoopBound(context, eventLoop: context.eventLoop))
        cut = { loop.execute { bound.value.close(promise: nil) } }
        ticket = listenerLimits.connections.enter(from: network, end: cut)
        if ticket == nil { context.close(promise: nil) }
    }

    private func leave() {
        watch?.cancel()
        if let ticket { listenerLimits.connections.leave(ticket) }
        ticket = nil
        cut = {}
    }
}
