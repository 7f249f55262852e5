import HTTPTypes
import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOHTTPTypes
import NIOSSL

/// A connection of a listener: its handlers, and the task that answers its requests.
///
/// ``ConnectionGuard`` stands before everything else, and over TLS ``TLSPeerGuard`` behind it. Then come the handlers of HTTP/1.1, or those
/// of HTTP/2, which the server beneath has, with a guard for each stream.
struct ListenerChannel: HTTPChannelHandler {
    typealias Parts = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>
    typealias Negotiated = EventLoopFuture<NIONegotiatedHTTPVersion<Parts, HTTP2Channel.Value>>

    struct Value: ServerChildChannelValue {
        fileprivate enum Requests {
            case plain(Parts)
            case secure(Negotiated)
        }

        let channel: any Channel
        fileprivate let requests: Requests
    }

    let responder: Responder
    let listenerLimits: ListenerLimits
    /// `nil` for connections without TLS.
    let tls: NIOSSLContext?

    private static let idle = Duration.seconds(75)

    // Every connection keeps the last buffer that it has read into: as large as most requests, and not as a whole body.
    private static var readBuffers: AdaptiveRecvByteBufferAllocator {
        AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 2048, maximum: 8192)
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let connection: ConnectionGuard
        do {
            connection = ConnectionGuard(listenerLimits)
            try channel.syncOptions?.setOption(ChannelOptions.recvAllocator, value: Self.readBuffers)
            try channel.pipeline.syncOperations.addHandler(connection)
            guard let tls else {
                let value = Value(channel: channel, requests: .plain(try http1(channel, connection)))
                return channel.eventLoop.makeSucceededFuture(value)
            }
            try channel.pipeline.syncOperations.addHandlers([
                NIOSSLServerHandler(context: tls), TLSPeerGuard(patience: TLSPeerGuard.Patience()),
            ])
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        let bound = NIOLoopBound(connection, eventLoop: channel.eventLoop)
        return channel.configureHTTP2AsyncSecureUpgrade { channel in
            channel.eventLoop.makeCompletedFuture { try http1(channel, bound.value) }
        } http2ConnectionInitializer: { channel in
            http2(bound).setup(channel: channel, logger: logger)
        }.map { Value(channel: channel, requests: .secure($0)) }
    }

    /// Answers the connection's requests in one task, and cancels the task once the connection has closed. `ClientPresence` does the
    /// same for a stream.
    func handle(value: Value, logger: Logger) async {
        let work = Task { await answer(value, logger) }
        value.channel.closeFuture.whenComplete { _ in work.cancel() }
        await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }
    }

    private func answer(_ value: Value, _ logger: Logger) async {
        switch value.requests {
        case .plain(let parts): await handleHTTP(asyncChannel: parts, logger: logger)
        case .secure(let negotiated):
            do {
                switch try await negotiated.get() {
                case .http1_1(let parts): await handleHTTP(asyncChannel: parts, logger: logger)
                case .http2(let connection): await http2(nil).handle(value: connection, logger: logger)
                }
            } catch {
                logger.debug("Error getting HTTP2 upgrade negotiated value: \(error)")
            }
        }
    }

    private func http1(_ channel: any Channel, _ connection: ConnectionGuard) throws -> Parts {
        let decoder = RequestDecoder(connection)
        let state = RequestState(connection, isStream: false, patience: .init(idle: TimeAmount(Self.idle)))
        try channel.pipeline.syncOperations.addHandlers([
            HTTPResponseEncoder(), ByteToMessageHandler(decoder), RequestHandler(state, decoder: decoder),
        ])
        return try Parts(wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
    }

    // Its streams run on the loop of their connection. What answers them needs no connection.
    private func http2(_ connection: NIOLoopBound<ConnectionGuard>?) -> HTTP2Channel {
        let streams = HTTP1Channel.Configuration(
            additionalChannelHandlers: connection.map {
                [RequestHandler(RequestState($0.value, isStream: true, patience: .init()))]
            } ?? [],
            idleTimeout: TimeAmount(Self.idle)
        )
        return HTTP2Channel(responder: responder, configuration: .init(idleTimeout: Self.idle, streamConfiguration: streams))
    }
}
