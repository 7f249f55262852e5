import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Ends requests whose rest nobody waits for: those that have their answer, of which little more is read, and those that keep a
/// server from stopping (threat case WEB-06). Of an HTTP/2 connection it ends the stream.
///
/// It stands before ``ExchangeMeter``, which throws such a rest away.
final class UnfinishedRequestGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// How many bytes are read of a request that has its answer, if its client did not say that there are few. A connection with more
    /// cannot be used again.
    static let mostSkipped = 64 * 1024
    /// What a client may announce and send in spite of its answer: the largest body that an endpoint takes. Many clients read no answer
    /// before they have sent all.
    static let mostAnnounced = 32 << 20
    // Gives the client time to read the answer. A connection that is closed with unread bytes is reset, and the answer may be
    // lost.
    private static let farewell = TimeAmount.seconds(1)
    // How long a request may wait for its body once the server stops: its rest may be under way.
    private static let lastPatience = TimeAmount.seconds(1)

    // `nil` for a connection of tests that has none.
    private var connection: ConnectionGuard?
    private var isStream = false
    private var requests: UInt64 = 0
    private var unanswered = 0
    private var isReading = false
    // The length of the body that is being read; `nil` when its client did not say.
    private var announced: Int?
    private var hasAnswerBegun = false
    // Whether the answer says that the connection ends after it.
    private var isLast = false
    private var skipped = 0
    // Whether nothing more is read.
    private var isDeaf = false
    private var ending: Scheduled<Void>?
    private var watch: Scheduled<Void>?

    // The request that has no byte of an answer and waits for the rest of its body. Those before it are answered.
    private var waiting: UInt64? { isReading && unanswered == 1 && !hasAnswerBegun ? requests : nil }

    private var isBounded: Bool { announced.map { $0 <= Self.mostAnnounced } ?? false }

    func handlerAdded(context: ChannelHandlerContext) {
        let own = try? context.pipeline.syncOperations.handler(type: ConnectionGuard.self)
        isStream = own == nil
        connection = own ?? (try? context.channel.parent?.pipeline.syncOperations.handler(type: ConnectionGuard.self))
        // Of a stream that is begun while its connection's client does not know yet that the server stops.
        if isStream, connection?.isStopping == true { look(context, at: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isDeaf { return }
        switch Self.unwrapInboundIn(data) {
        case .head(let head):
            // The client was told that there is no next one.
            if isLast {
                isDeaf = true
                return
            }
            requests += 1
            unanswered += 1
            isReading = true
            announced = head.headerFields[.contentLength].flatMap { Int($0) }
        case .body(let bytes):
            if unanswered == 0 { skip(bytes.readableBytes, context) }
        case .end:
            isReading = false
            skipped = 0
        }
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        if !isDeaf { context.read() }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch Self.unwrapOutboundIn(data) {
        case .head(var head):
            if head.status.kind == .informational { break }
            hasAnswerBegun = true
            guard !isStream, isReading, unanswered == 1, !isBounded else { break }
            // The client must not send its next request behind a body that is not read.
            isLast = true
            head.headerFields[.connection] = "close"
            return context.write(Self.wrapOutboundOut(.head(head)), promise: promise)
        case .body: break
        case .end:
            hasAnswerBegun = false
            unanswered = max(unanswered - 1, 0)
            if isLast {
                let sent = promise ?? context.eventLoop.makePromise()
                sent.futureResult.assumeIsolated().whenComplete { _ in self.leave(context) }
                return context.write(data, promise: sent)
            }
        }
        context.write(data, promise: promise)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent, watch == nil { look(context, at: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { stop() }

    private func skip(_ count: Int, _ context: ChannelHandlerContext) {
        skipped += count
        guard skipped > Self.mostSkipped, !isBounded else { return }
        isDeaf = true
        leave(context)
    }

    private func leave(_ context: ChannelHandlerContext) {
        guard ending == nil else { return }
        ending = context.eventLoop.assumeIsolated().scheduleTask(in: Self.farewell) { self.end(context) }
    }

    // Ends a request that waited at the last look, too. One that is answered or complete by then has its time.
    private func look(_ context: ChannelHandlerContext, at last: UInt64?) {
        if let waiting, waiting == last {
            // What has come of the body must not pass for all of it.
            context.fireErrorCaught(CancellationError())
            return end(context)
        }
        let current = waiting
        watch = context.eventLoop.assumeIsolated().scheduleTask(in: Self.lastPatience) { self.look(context, at: current) }
    }

    // TLS's goodbye is not waited for: the peer need not answer it.
    private func end(_ context: ChannelHandlerContext) {
        isDeaf = true
        if !isStream, let connection { connection.cut() } else { context.close(promise: nil) }
    }

    private func stop() {
        ending?.cancel()
        watch?.cancel()
    }
}
