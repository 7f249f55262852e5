import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Keeps the heads of requests that never end within the budget of bytes: the decoder holds what it was sent until a head is whole
/// (threat case RES-03). Before the decoder of an HTTP/1.1 connection.
final class HeadMeter: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let budget: FairShare
    private let connection: ConnectionGuard
    // Sizes are estimates, so a remainder below this is ignored.
    private static let tolerance = 1024
    // A request line's version, its spaces and the ends of its lines.
    private static let lineOverhead = 16
    // A field's colon, space and end of line.
    private static let fieldOverhead = 4

    // The bytes that are charged: those that arrived since the last part of a request.
    private var pending = 0
    private var claim: FairShare.Claim?
    // What the decoder made of the bytes at hand.
    private var partBytes = 0
    private var lastPart: LastPart?

    private enum LastPart { case headOrBody, end }

    /// Whether a request of the connection is being worked on: meanwhile nothing of it is ended for others.
    var isServersTurn = false {
        didSet { setTurn() }
    }

    init(_ budget: FairShare, of connection: ConnectionGuard) {
        self.budget = budget
        self.connection = connection
    }

    /// The decoder has made a part of a request of what it was sent.
    ///
    /// - Returns: Whether it is to be heeded: not when the connection has been ended in favour of another.
    @discardableResult
    func wasRead(_ part: HTTPRequestPart) -> Bool {
        switch part {
        case .head(let head):
            partBytes += Self.size(of: head)
            lastPart = .headOrBody
        case .body(let bytes):
            partBytes += bytes.readableBytes
            lastPart = .headOrBody
        case .end: lastPart = .end
        }
        return giveBack()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let count = Self.unwrapInboundIn(data).readableBytes
        (partBytes, lastPart) = (0, nil)
        context.fireChannelRead(data)
        switch lastPart {
        case .none: pending += count
        // Bodies are handed on as they come: only after a request's end may the decoder hold bytes, those of the next head.
        case .headOrBody: pending = 0
        case .end: pending = max(pending + count - partBytes, 0)
        }
        do {
            if let claim {
                try budget.take(count, by: claim)
            } else if pending > Self.tolerance {
                claim = try budget.claim(pending, for: connection.network, end: connection.cut)
                setTurn()
            }
        } catch {
            context.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        giveBack()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { giveBack() }

    private func setTurn() {
        guard let claim else { return }
        // One that has been ended is soon closed.
        if isServersTurn { _ = budget.works(claim) } else { budget.waits(claim) }
    }

    @discardableResult
    private func giveBack() -> Bool {
        defer { claim = nil }
        return claim.map { budget.release($0) } ?? true
    }

    private static func size(of head: HTTPRequest) -> Int {
        let line =
            head.method.rawValue.utf8.count + (head.path?.utf8.count ?? 0) + (head.authority?.utf8.count ?? 0) + lineOverhead
        return head.headerFields.reduce(line) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + fieldOverhead }
    }
}
