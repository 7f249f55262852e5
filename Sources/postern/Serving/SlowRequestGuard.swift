import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Cuts off a client that sends its request in drops: one that stops altogether is the listener's idle time's business, but each
/// drop starts that anew (threat case WEB-06).
///
/// It looks at the clock only when something arrives, so a request costs no timer.
final class SlowRequestGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart

    private let patience: TimeAmount
    private var deadline: NIODeadline?

    /// - Parameter patience: How long the parts of a request may take, from its head to its end.
    init(patience: TimeAmount) { self.patience = patience }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch Self.unwrapInboundIn(data) {
        case .head: deadline = context.eventLoop.now + patience
        case .end: deadline = nil
        case .body:
            if let deadline, context.eventLoop.now > deadline { return context.close(promise: nil) }
        }
        context.fireChannelRead(data)
    }
}
