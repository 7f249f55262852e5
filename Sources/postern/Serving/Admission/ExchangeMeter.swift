import Accounts
import HTTPAPI
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Keeps a connection's requests and answers within the budget of bytes, and tells the connection whose turn it is (threat cases
/// RES-03 and RES-04). It is the outermost handler of requests, of an HTTP/1.1 connection or of one HTTP/2 stream.
///
/// A request takes room in the budget from its head until its answer has been sent. When there is no room, the request is
/// answered with 429 or 503 and its connection or stream is closed.
final class ExchangeMeter: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    // The memory that handlers and tasks of a request need besides its bytes.
    private static let overhead = 4096
    // The bytes that a client may send on a stream before any are read (RFC 9113 §6.9.2).
    private static let streamWindow = 65_535
    // The reserve of a stream that announces no length. Most such streams send little, so they do not reserve a full window.
    private static let unannouncedReserve = 16_384
    // Gives the client time to read the answer. A connection that is closed with unread bytes is reset, and the answer may be
    // lost.
    private static let farewell = TimeAmount.seconds(1)

    private struct Exchange {
        var network: ClientNetwork?
        var bytes: Int
        /// Room for bytes of the body that may still arrive before they are counted.
        var reserved = 0
        var isComplete = false
        /// Whether nothing is charged for it: it asks for the server's health, and its connection had nothing else to answer.
        var isFree = false
    }

    private var connection: ConnectionGuard?
    private var isStream = false
    // Requests without a whole answer, the oldest first: HTTP/1.1 has several when they are sent ahead.
    private var exchanges = CircularBuffer<Exchange>()
    // Whether the request that is being read belongs to the last of them; else it has its answer already.
    private var isReading = false
    private var hasAnswerBegun = false
    private var isRefused = false
    private var isClosing = false
    private var headMeter: HeadMeter?

    func handlerAdded(context: ChannelHandlerContext) {
        let own = try? context.pipeline.syncOperations.handler(type: ConnectionGuard.self)
        isStream = own == nil
        connection = own ?? (try? context.channel.parent?.pipeline.syncOperations.handler(type: ConnectionGuard.self))
        guard !isStream, let connection,
            let decoder = try? context.pipeline.syncOperations.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        else { return }
        let meter = HeadMeter(connection.admission.budget, of: connection)
        headMeter = meter
        try? context.pipeline.syncOperations.addHandler(meter, position: .before(decoder))
        try? context.pipeline.syncOperations.addHandler(OldVersionHost(), position: .after(decoder))
    }

    func handlerRemoved(context: ChannelHandlerContext) { giveEverythingBack() }

    func channelInactive(context: ChannelHandlerContext) {
        giveEverythingBack()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = Self.unwrapInboundIn(data)
        headMeter?.wasRead(part)
        guard let connection else { return context.fireChannelRead(data) }
        if isClosing || isRefused { return }
        switch part {
        case .head(let head):
            guard begin(head, connection, context) else { return }
        case .body(let bytes):
            // The request is already answered, so its further bytes are dropped.
            guard isReading, let last = exchanges.last else { return }
            if let refusal = connection.admission.budget.take(bytes.readableBytes, for: last.network) {
                return refuseBody(refusal, context)
            }
            exchanges[exchanges.index(before: exchanges.endIndex)].bytes += bytes.readableBytes
        case .end:
            if isReading { complete(connection) }
            isReading = false
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard let connection else { return context.write(data, promise: promise) }
        if isClosing {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        switch Self.unwrapOutboundIn(data) {
        case .head(var head):
            if head.status.kind != .informational { hasAnswerBegun = true }
            // RFC 9113 §8.2.2: HTTP/2 has no such field.
            if isStream { head.headerFields[.connection] = nil }
            context.write(Self.wrapOutboundOut(.head(head)), promise: promise)
        case .body(let bytes):
            if let first = exchanges.first, !first.isFree {
                let count = bytes.readableBytes
                if connection.admission.budget.take(count, for: first.network, mayExceed: true) != nil {
                    promise?.fail(ChannelError.ioOnClosedChannel)
                    return close(context)
                }
                exchanges[exchanges.startIndex].bytes += count
            }
            context.write(data, promise: promise)
        case .end: end(connection, context, data, promise)
        }
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is VerifiedAdministrator else { return context.triggerUserOutboundEvent(event, promise: promise) }
        // The request that is being worked on is the oldest.
        if let connection, let first = exchanges.first, let network = first.network {
            connection.admission.budget.exempt(first.bytes + first.reserved, of: network)
            exchanges[exchanges.startIndex].network = nil
        }
        promise?.succeed()
    }

    // MARK: - Requests

    private func begin(_ head: HTTPRequest, _ connection: ConnectionGuard, _ context: ChannelHandlerContext) -> Bool {
        // This check must come before any header is compared as a text.
        guard head.headerFields.isStreamSafe else {
            answer(connection.admission.refusals.marks, context)
            return false
        }
        var exchange = Exchange(network: connection.network, bytes: 0)
        let isAboutHealth = Admission.isAboutHealth(head)
        exchange.isFree = isAboutHealth && connection.exchanges == 0
        if !exchange.isFree {
            if connection.isGuest, !isAboutHealth {
                answer(connection.admission.refusals.total, context)
                return false
            }
            if exchange.network == nil {
                exchange.network = connection.admission.network(behindProxy: context.channel.remoteAddress?.ipAddress, head)
            }
            exchange.bytes = Self.overhead + Self.size(of: head)
            exchange.reserved = isStream ? Self.reserve(for: head) : 0
            if let refusal = connection.admission.budget.take(exchange.bytes + exchange.reserved, for: exchange.network) {
                let refusals = connection.admission.refusals
                answer(refusal == .share ? refusals.share : refusals.total, context)
                return false
            }
        }
        exchanges.append(exchange)
        connection.exchanges += 1
        isReading = true
        return true
    }

    private func complete(_ connection: ConnectionGuard) {
        let last = exchanges.index(before: exchanges.endIndex)
        connection.admission.budget.give(exchanges[last].reserved, for: exchanges[last].network)
        exchanges[last].reserved = 0
        exchanges[last].isComplete = true
        connection.begin()
    }

    // The handler that waits for the body gives the answer, unless an answer has already begun.
    private func refuseBody(_ refusal: TrafficBudget.Refusal, _ context: ChannelHandlerContext) {
        guard exchanges.count == 1, !hasAnswerBegun else { return close(context) }
        isRefused = true
        context.fireErrorCaught(TransportError(refusal))
    }

    // MARK: - Answers

    private func end(
        _ connection: ConnectionGuard,
        _ context: ChannelHandlerContext,
        _ data: NIOAny,
        _ promise: EventLoopPromise<Void>?
    ) {
        hasAnswerBegun = false
        guard let exchange = exchanges.popFirst() else { return context.write(data, promise: promise) }
        if exchanges.isEmpty, !exchange.isComplete { isReading = false }
        if exchange.isComplete { connection.end() }
        let written = promise ?? context.eventLoop.makePromise(of: Void.self)
        let budget = connection.admission.budget
        // The bytes of the answer are in memory until the client has received them.
        written.futureResult.hop(to: context.eventLoop).assumeIsolated().whenComplete { _ in
            budget.give(exchange.bytes + exchange.reserved, for: exchange.network)
            connection.exchanges -= 1
        }
        context.write(data, promise: written)
        if isRefused { leave(context) }
    }

    private func answer(_ answer: UnreadableRequest, _ context: ChannelHandlerContext) {
        guard exchanges.isEmpty else { return close(context) }
        var head = answer.head
        if isStream { head.headerFields[.connection] = nil }
        context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
        context.write(Self.wrapOutboundOut(.body(answer.body)), promise: nil)
        context.write(Self.wrapOutboundOut(.end(nil)), promise: nil)
        leave(context)
    }

    private func leave(_ context: ChannelHandlerContext) {
        isClosing = true
        context.flush()
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.farewell) { context.close(promise: nil) }
    }

    private func close(_ context: ChannelHandlerContext) {
        isClosing = true
        context.close(promise: nil)
    }

    private func giveEverythingBack() {
        guard let connection else { return }
        while let exchange = exchanges.popFirst() {
            connection.admission.budget.give(exchange.bytes + exchange.reserved, for: exchange.network)
            connection.exchanges -= 1
            if exchange.isComplete { connection.end() }
        }
        isReading = false
    }

    /// How many bytes are kept free for what a stream may send unseen: no more than it announces (HTTP/2 holds it to that).
    static func reserve(for head: HTTPRequest) -> Int {
        guard let text = head.headerFields[.contentLength] else { return unannouncedReserve }
        guard let length = Int(text), length >= 0 else { return streamWindow }
        return min(streamWindow, length)
    }

    private static func size(of head: HTTPRequest) -> Int {
        head.headerFields.reduce(head.path?.utf8.count ?? 0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count }
    }
}
