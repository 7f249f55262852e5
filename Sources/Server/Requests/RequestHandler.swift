import HTTPAPI
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Stands between a client's protocol and the server beneath: behind the decoder of a connection of HTTP/1.1, or behind the codec of a
/// stream of HTTP/2. ``RequestState`` decides what becomes of the parts of requests and answers; this does what it says.
///
/// A part is unwrapped once. Those of HTTP/2 are handed on as they came, those of HTTP/1.1 in the form that knows no protocol.
final class RequestHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var state: RequestState
    // Of a connection of HTTP/1.1.
    private let decoder: RequestDecoder?
    private var timer: (at: NIODeadline, task: Scheduled<Void>)?

    init(_ state: RequestState, decoder: RequestDecoder? = nil) {
        self.state = state
        self.decoder = decoder
    }

    // MARK: - The connection or stream

    func handlerAdded(context: ChannelHandlerContext) {
        let (loop, bound) = (context.eventLoop, NIOLoopBound((self, context), eventLoop: context.eventLoop))
        state.memory.end = { loop.execute { bound.value.0.giveUp(bound.value.1) } }
        if context.channel.isActive { connects(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        connects(context)
        context.fireChannelActive()
    }

    // What stands behind hears of the end when it is removed. Before, a body that is cut short might pass for all of it: a decoder whose
    // part has had the connection closed says so only after this.
    func channelInactive(context: ChannelHandlerContext) { disconnects() }

    func handlerRemoved(context: ChannelHandlerContext) {
        disconnects()
        state.memory.end = nil
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        state.writabilityChanges(to: context.channel.isWritable, at: context.eventLoop.now)
        setTimer(context)
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent:
            if state.stop(at: context.eventLoop.now) { context.close(promise: nil) }
            setTimer(context)
        // HTTP/1.0 knows no answer that tells nothing, and the stream of a client that has gone is closed.
        case ChannelEvent.inputClosed where decoder?.isOld == false:
            state.inputEnds(at: context.eventLoop.now)
            setTimer(context)
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The answer to bytes that are no request begins no new time between requests.
        if decoder != nil, error is HTTPParserError, state.exchanges.isEmpty { state.readFault(at: context.eventLoop.now) }
        context.fireErrorCaught(state.note(error))
        setTimer(context)
    }

    private func connects(_ context: ChannelHandlerContext) {
        state.connects(at: context.eventLoop.now)
        setTimer(context)
    }

    private func disconnects() {
        state.releaseAll()
        timer?.task.cancel()
        timer = nil
    }

    // MARK: - Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let decoder else { return read(Self.unwrapInboundIn(data), as: data, context) }
        do {
            let part = try decoder.part(HTTP1ToHTTPServerCodec.unwrapInboundIn(data))
            if decoder.isEndedForOthers { state.isClosing = true }
            if let part { read(part, as: nil, context) }
            decoder.isServersTurn = state.isServersTurn
        } catch {
            errorCaught(context: context, error: error)
            state.readFault(at: context.eventLoop.now)
        }
    }

    // A request that comes as a whole costs no timer.
    func channelReadComplete(context: ChannelHandlerContext) {
        setTimer(context)
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        if !state.isDeaf { context.read() }
    }

    private func read(_ part: HTTPRequestPart, as data: NIOAny?, _ context: ChannelHandlerContext) {
        let now = context.eventLoop.now
        let step =
            switch part {
            case .head(let head): state.readHead(head, from: context.channel.remoteAddress?.ipAddress, at: now)
            case .body(let bytes): state.readBody(bytes.readableBytes, at: now)
            case .end: state.readEnd(at: now)
            }
        switch step {
        case .handedOn:
            tellContinue(context)
            // Nothing reads trailers, which are texts of strangers.
            if case .end(.some) = part { return context.fireChannelRead(Self.wrapInboundOut(.end(nil))) }
            context.fireChannelRead(data ?? Self.wrapInboundOut(part))
        case .ignored: break
        case .refused(let refusal):
            var head = refusal.head
            if state.isStream { head.headerFields[.connection] = nil }
            send(.head(head), context)
            if let body = refusal.body { send(.body(body), context) }
            send(.end(nil), context)
            context.flush()
        case .failed(let error): context.fireErrorCaught(error)
        case .closed: context.close(promise: nil)
        }
    }

    private func tellContinue(_ context: ChannelHandlerContext) {
        guard state.takeContinue() else { return }
        send(.head(HTTPResponse(status: .continue)), context)
        context.flush()
    }

    // MARK: - Answers

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if state.isClosing {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        let part = Self.unwrapOutboundIn(data)
        switch part {
        case .head(let head):
            guard let refusal = state.answer(inPlaceOf: head) else { return write(head, as: data, context, promise) }
            guard let body = refusal.body else { return write(refusal.head, as: nil, context, promise) }
            write(refusal.head, as: nil, context, nil)
            write(body, as: .body(body), nil, context, promise)
        case .body(let bytes): write(bytes, as: part, data, context, promise)
        case .end: writeEnd(part, data, context, promise)
        }
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        switch event {
        case is VerifiedAdministrator: state.exempt()
        case let inflated as InflatedBytes:
            do { try state.inflate(inflated.count) } catch {
                promise?.fail(TransportError(error))
                return
            }
        default: return context.triggerUserOutboundEvent(event, promise: promise)
        }
        promise?.succeed()
    }

    // Data is what the part came in, as long as the part is the same.
    private func send(
        _ part: HTTPResponsePart,
        as data: NIOAny? = nil,
        _ context: ChannelHandlerContext,
        _ promise: EventLoopPromise<Void>? = nil
    ) {
        guard decoder != nil else { return context.write(data ?? Self.wrapOutboundOut(part), promise: promise) }
        let wire: HTTPServerResponsePart =
            switch part {
            case .head(let head): .head(HTTPResponseHead(head))
            case .body(let bytes): .body(.byteBuffer(bytes))
            case .end(let trailers): .end(trailers.map { HTTPHeaders($0) })
            }
        context.write(HTTP1ToHTTPServerCodec.wrapOutboundOut(wire), promise: promise)
    }

    private func write(
        _ head: HTTPResponse,
        as data: NIOAny?,
        _ context: ChannelHandlerContext,
        _ promise: EventLoopPromise<Void>?
    ) {
        var (head, data) = (head, data)
        if state.answerHead(head.status) {
            head.headerFields[.connection] = "close"
            data = nil
        }
        // RFC 9113 §8.2.2: HTTP/2 has no such field.
        if state.isStream, head.headerFields[.connection] != nil {
            head.headerFields[.connection] = nil
            data = nil
        }
        send(.head(head), as: data, context, promise)
    }

    private func write(
        _ bytes: ByteBuffer,
        as part: HTTPResponsePart,
        _ data: NIOAny?,
        _ context: ChannelHandlerContext,
        _ promise: EventLoopPromise<Void>?
    ) {
        let (budget, count) = (state.memory.budget, bytes.readableBytes)
        do {
            guard let reservation = try state.answerBody(count) else { return send(part, as: data, context, promise) }
            let written = promise ?? context.eventLoop.makePromise(of: Void.self)
            written.futureResult.whenComplete { _ in budget.give(count, of: reservation) }
            send(part, as: data, context, written)
        } catch {
            promise?.fail(ChannelError.ioOnClosedChannel)
            context.close(promise: nil)
        }
    }

    private func writeEnd(
        _ part: HTTPResponsePart,
        _ data: NIOAny,
        _ context: ChannelHandlerContext,
        _ promise: EventLoopPromise<Void>?
    ) {
        guard let exchange = state.answerEnd(at: context.eventLoop.now) else { return send(part, as: data, context, promise) }
        let written = promise ?? context.eventLoop.makePromise(of: Void.self)
        // Its bytes are in memory until the client has taken them.
        written.futureResult.hop(to: context.eventLoop).assumeIsolated().whenComplete { _ in
            self.state.release(exchange, at: context.eventLoop.now)
            self.setTimer(context)
        }
        send(part, as: data, context, written)
        if state.isOver {
            context.flush()
            context.close(promise: nil)
        }
        decoder?.isServersTurn = state.isServersTurn
        tellContinue(context)
        setTimer(context)
    }

    // MARK: - Time

    // One timer at a time, which is set anew only when something is due before it, or when it has run out.
    private func setTimer(_ context: ChannelHandlerContext) {
        guard let next = state.time.next, timer.map({ next < $0.at }) ?? true, context.channel.isActive else { return }
        timer?.task.cancel()
        timer = (next, context.eventLoop.assumeIsolated().scheduleTask(deadline: next) { self.timePasses(context) })
    }

    private func timePasses(_ context: ChannelHandlerContext) {
        timer = nil
        while let due = state.due(at: context.eventLoop.now) {
            switch due {
            case .inform:
                send(.head(HTTPResponse(status: .init(code: 102, reasonPhrase: "Processing"))), context)
                context.flush()
            case .end(let end, hearing: let error):
                // What has come of a body must not pass for all of it.
                if let error { context.fireErrorCaught(error) }
                if end == .cut { cut(context) } else { context.close(promise: nil) }
            }
        }
        setTimer(context)
    }

    // Others need the room.
    private func giveUp(_ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        state.isClosing = true
        context.fireErrorCaught(TransportError.noRoom)
        cut(context)
    }

    private func cut(_ context: ChannelHandlerContext) {
        if state.isStream { context.close(promise: nil) } else { state.connection.cut() }
    }
}
