import NIOCore

/// Keeps the heads of requests that never end within the budget of bytes: the decoder holds what it was sent until a head is whole
/// (threat case RES-03). Before the decoder of an HTTP/1.1 connection.
final class HeadMeter: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let budget: TrafficBudget
    private let connection: ConnectionGuard
    // Of what was read since the last part of a request.
    private var pending = 0
    private var hasRead = false

    init(_ budget: TrafficBudget, of connection: ConnectionGuard) {
        self.budget = budget
        self.connection = connection
    }

    /// The decoder has made something of what it was sent.
    func partWasRead() { hasRead = true }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let count = Self.unwrapInboundIn(data).readableBytes
        hasRead = false
        context.fireChannelRead(data)
        if hasRead { return giveBack() }
        guard budget.take(count, for: connection.network) == nil else { return context.close(promise: nil) }
        pending += count
    }

    func channelInactive(context: ChannelHandlerContext) {
        giveBack()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { giveBack() }

    private func giveBack() {
        budget.give(pending, for: connection.network)
        pending = 0
    }
}
