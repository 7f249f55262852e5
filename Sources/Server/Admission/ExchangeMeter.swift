import Accounts
import HTTPAPI
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Keeps a connection's requests and answers within the budget of bytes, and tells the connection whose turn it is (threat cases
/// RES-03 and RES-04). Of the handlers of requests, of an HTTP/1.1 connection or of one HTTP/2 stream, only
/// ``UnfinishedRequestGuard`` is nearer to the client.
///
/// A request takes room in the budget from its head until its answer has been sent. While it waits for its client, it may be
/// ended for others together with its connection or stream. When there is still no room, a request is answered with 429 or 503 and its
/// connection or stream is closed.
final class ExchangeMeter: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    // Gives the client time to read the answer. A connection that is closed with unread bytes is reset, and the answer may be
    // lost.
    private static let farewell = TimeAmount.seconds(1)

    private var connection: ConnectionGuard?
    private var isStream = false
    // Requests without a whole answer, the oldest first: HTTP/1.1 has several when they are sent ahead.
    private var exchanges = CircularBuffer<Exchange>()
    // Whether the request that is being read belongs to the last of them; else it has its answer already.
    private var isReading = false
    private var hasAnswerBegun = false
    // Whether the answer that is being sent has come in several parts so far.
    private var hasBodyBegun = false
    private var isWritable = true
    private var isRefused = false
    private var isClosing = false
    private var headMeter: HeadMeter?
    private var turn = ClientTurn()
    // Has the exchanges ended in favour of others.
    private var ending: (@Sendable () -> Void)?

    func handlerAdded(context: ChannelHandlerContext) {
        let own = try? context.pipeline.syncOperations.handler(type: ConnectionGuard.self)
        isStream = own == nil
        connection = own ?? (try? context.channel.parent?.pipeline.syncOperations.handler(type: ConnectionGuard.self))
        let (loop, bound) = (context.eventLoop, NIOLoopBound((self, context), eventLoop: context.eventLoop))
        ending = { loop.execute { bound.value.0.giveUp(bound.value.1) } }
        guard !isStream, let connection,
            let decoder = try? context.pipeline.syncOperations.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        else { return }
        let meter = HeadMeter(connection.admission.budget, of: connection)
        headMeter = meter
        try? context.pipeline.syncOperations.addHandler(meter, position: .before(decoder))
        try? context.pipeline.syncOperations.addHandler(HangUpProbe(), position: .after(decoder))
        try? RequestDecoder.install(before: decoder, in: context.pipeline)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        giveEverythingBack()
        ending = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        giveEverythingBack()
        context.fireChannelInactive()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        isWritable = context.channel.isWritable
        _ = setTurn()
        context.fireChannelWritabilityChanged()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = Self.unwrapInboundIn(data)
        if let headMeter, !headMeter.wasRead(part) { isClosing = true }
        guard let connection else { return context.fireChannelRead(data) }
        if isClosing || isRefused { return }
        switch part {
        case .head(let head):
            guard begin(head, connection, context) else { return }
        case .body(let bytes):
            // What comes after its answer would only be kept until it is thrown away. ``UnfinishedRequestGuard`` bounds it.
            guard isReading, !exchanges.isEmpty else { return }
            do { try charge(bytes.readableBytes, to: exchanges.index(before: exchanges.endIndex), connection) } catch {
                return refuseBody(error, context)
            }
        case .end:
            if isReading, !complete(connection) { return }
            isReading = false
            // Nothing reads trailers, which are texts of strangers.
            return context.fireChannelRead(Self.wrapInboundOut(.end(nil)))
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
            guard isStream else { return context.write(data, promise: promise) }
            // RFC 9113 §8.2.2: HTTP/2 has no such field.
            head.headerFields[.connection] = nil
            context.write(Self.wrapOutboundOut(.head(head)), promise: promise)
        case .body(let bytes):
            var promise = promise
            if let claim = exchanges.first?.claim {
                do { try connection.admission.budget.take(bytes.readableBytes, by: claim, mayExceed: true) } catch {
                    promise?.fail(ChannelError.ioOnClosedChannel)
                    return close(context)
                }
                // A stream's earlier parts are with the client while the later ones are made.
                if hasBodyBegun {
                    let (budget, count) = (connection.admission.budget, bytes.readableBytes)
                    let written = promise ?? context.eventLoop.makePromise(of: Void.self)
                    written.futureResult.whenComplete { _ in budget.give(count, of: claim) }
                    promise = written
                }
                hasBodyBegun = true
            }
            context.write(data, promise: promise)
        case .end: end(connection, context, data, promise)
        }
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        // The request that is being worked on is the oldest.
        let claim = exchanges.first?.claim
        switch event {
        case is VerifiedAdministrator:
            if let claim { connection?.admission.budget.exempt(claim) }
        case let inflated as InflatedBytes:
            do { if let claim { try connection?.admission.budget.take(inflated.count, by: claim) } } catch {
                promise?.fail(TransportError(error))
                return
            }
        default: return context.triggerUserOutboundEvent(event, promise: promise)
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
        var exchange = Exchange()
        let isAboutHealth = Admission.isAboutHealth(head)
        if !isAboutHealth || connection.exchanges > 0 {
            let refusals = connection.admission.refusals
            if connection.isGuest, !isAboutHealth {
                answer(refusals.total, context)
                return false
            }
            exchange.reserved = isStream ? Exchange.reserve(for: head) : 0
            let network =
                connection.network
                ?? connection.admission.network(behindProxy: context.channel.remoteAddress?.ipAddress, head)
            do {
                exchange.claim = try claim(Exchange.size(of: head) + exchange.reserved, for: network, connection)
            } catch {
                answer(error == .share ? refusals.share : refusals.total, context)
                return false
            }
        }
        exchanges.append(exchange)
        connection.exchanges += 1
        isReading = true
        return setTurn()
    }

    private func claim(
        _ bytes: Int,
        for network: ClientNetwork?,
        _ connection: ConnectionGuard
    ) throws(FairShare.Refusal) -> FairShare.Claim {
        let claim = try connection.admission.budget.claim(bytes, for: network, end: ending ?? {})
        // Not while those before it are worked on.
        if !exchanges.isEmpty { _ = connection.admission.budget.works(claim) }
        return claim
    }

    private func charge(_ bytes: Int, to index: CircularBuffer<Exchange>.Index, _ connection: ConnectionGuard)
        throws(FairShare.Refusal)
    {
        if let claim = exchanges[index].claim {
            try connection.admission.budget.take(bytes, by: claim)
        } else {
            exchanges[index].claim = try claim(bytes, for: connection.network, connection)
            guard setTurn() else { throw .ended }
        }
    }

    // Whether it was not ended for another before.
    private func complete(_ connection: ConnectionGuard) -> Bool {
        let last = exchanges.index(before: exchanges.endIndex)
        exchanges[last].isComplete = true
        connection.begin()
        guard setTurn() else { return false }
        if let claim = exchanges[last].claim { connection.admission.budget.give(exchanges[last].reserved, of: claim) }
        return true
    }

    // It is the client's turn while no complete request is to be answered, and while the client does not take answers. Nothing is done
    // for one that has been ended, which is soon closed.
    private func setTurn() -> Bool {
        guard let budget = connection?.admission.budget else { return true }
        let isServersTurn = exchanges.first?.isComplete == true
        headMeter?.isServersTurn = isServersTurn
        let isKept = turn.set(isServersTurn && isWritable ? nil : exchanges.last?.claim ?? turn.untaken, in: budget)
        if !isKept { isClosing = true }
        return isKept
    }

    // The handler that waits for the body gives the answer, unless an answer has already begun.
    private func refuseBody(_ refusal: FairShare.Refusal, _ context: ChannelHandlerContext) {
        if refusal == .ended { return }
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
        hasBodyBegun = false
        guard let exchange = exchanges.popFirst() else { return context.write(data, promise: promise) }
        if exchanges.isEmpty, !exchange.isComplete { isReading = false }
        if exchange.isComplete { connection.end() }
        turn.untaken = exchange.claim
        _ = setTurn()
        let written = promise ?? context.eventLoop.makePromise(of: Void.self)
        // Its bytes are in memory until the client has taken them.
        written.futureResult.hop(to: context.eventLoop).assumeIsolated().whenComplete { _ in
            connection.exchanges -= 1
            guard let claim = exchange.claim else { return }
            connection.admission.budget.release(claim)
            self.turn.forget(claim)
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

    // Others need the room.
    private func giveUp(_ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        isClosing = true
        // What has come of a body must not pass for all of it.
        context.fireErrorCaught(TransportError.noRoom)
        if isStream { context.close(promise: nil) } else { connection?.cut() }
    }

    private func giveEverythingBack() {
        guard let connection else { return }
        while let exchange = exchanges.popFirst() {
            if let claim = exchange.claim { connection.admission.budget.release(claim) }
            connection.exchanges -= 1
            if exchange.isComplete { connection.end() }
        }
        isReading = false
        turn.end()
    }
}
