import NIOCore
import NIOHTTPTypes

/// Cuts off a client that asks and does not take the answers: the listener's idle time does not run while an answer is being
/// written, so such a connection would stay for ever (threat case WEB-06).
///
/// A timer runs only while the connection has more to send than it takes.
final class StalledReaderGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart

    private let patience: TimeAmount
    private var deadline: Scheduled<Void>?

    init(patience: TimeAmount) { self.patience = patience }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        deadline?.cancel()
        deadline = nil
        if !context.channel.isWritable {
            let channel = context.channel
            deadline = context.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
        }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        context.fireChannelInactive()
    }
}
