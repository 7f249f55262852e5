import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Keeps the heads of requests that never end within the budget of bytes: the decoder holds what it was sent until a head is whole
/// (threat case RES-03). Before the decoder of an HTTP/1.1 connection.
final class HeadMeter: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let budget: TrafficBudget
    private let connection: ConnectionGuard
    // Sizes are estimates, so a remainder below this is ignored.
    private static let tolerance = 1024
    // A request line's version, its spaces and the ends of its lines.
    private static let lineOverhead = 16
    // A field's colon, space and end of line.
    private static let fieldOverhead = 4

    // The bytes that are charged: those that arrived since the last part of a request.
    private var pending = 0
    // The bytes of the parts that the decoder made of the current input.
    private var partBytes = 0
    private var lastPart: LastPart?

    private enum LastPart { case headOrBody, end }

    init(_ budget: TrafficBudget, of connection: ConnectionGuard) {
        self.budget = budget
        self.connection = connection
    }

    /// The decoder has made a part of a request of what it was sent.
    func wasRead(_ part: HTTPRequestPart) {
        switch part {
        case .head(let head):
            partBytes += Self.size(of: head)
            lastPart = .headOrBody
        case .body(let bytes):
            partBytes += bytes.readableBytes
            lastPart = .headOrBody
        case .end: lastPart = .end
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let count = Self.unwrapInboundIn(data).readableBytes
        (partBytes, lastPart) = (0, nil)
        context.fireChannelRead(data)
        var held = count
        if let lastPart {
            // Bodies are handed on as they come: only after a request's end may the decoder hold bytes, those of the next head.
            let left = lastPart == .end ? pending + count - partBytes : 0
            giveBack()
            held = left > Self.tolerance ? left : 0
        }
        guard held > 0 else { return }
        guard budget.take(held, for: connection.network) == nil else { return context.close(promise: nil) }
        pending += held
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

    private static func size(of head: HTTPRequest) -> Int {
        let line =
            head.method.rawValue.utf8.count + (head.path?.utf8.count ?? 0) + (head.authority?.utf8.count ?? 0) + lineOverhead
        return head.headerFields.reduce(line) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + fieldOverhead }
    }
}
