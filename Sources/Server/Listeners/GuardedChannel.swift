import HummingbirdCore
import Logging
import NIOCore
import NIOSSL

/// A connection of a listener with the guards that stand before everything else: ``ConnectionGuard``, and over TLS
/// ``HeaderTableBound`` and ``QuietPeerGuard``.
struct GuardedChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let admission: Admission
    /// The time limits of a connection over TLS; `nil` for one without TLS.
    var patience: QuietPeerGuard.Patience?

    // Every connection keeps the last buffer that it has read into: as large as most requests, and not as a whole body.
    private static var readBuffers: AdaptiveRecvByteBufferAllocator {
        AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 2048, maximum: 8192)
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        // First, since the handlers of requests look for it.
        channel.eventLoop.makeCompletedFuture {
            try channel.syncOptions?.setOption(ChannelOptions.recvAllocator, value: Self.readBuffers)
            try channel.pipeline.syncOperations.addHandler(ConnectionGuard(admission), position: .first)
        }.flatMap {
            base.setup(channel: channel, logger: logger)
        }.flatMapThrowing { value in
            if let patience {
                let tls = try channel.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self)
                let guards: [any ChannelHandler] = [QuietPeerGuard(patience: patience), HeaderTableBound()]
                try channel.pipeline.syncOperations.addHandlers(guards, position: .after(tls))
            }
            return value
        }
    }

    /// Answers the connection's requests in one task, and cancels the task once the connection has closed. `ClientPresence` does the
    /// same for a stream.
    func handle(value: Base.Value, logger: Logger) async {
        let work = Task { await base.handle(value: value, logger: logger) }
        value.channel.closeFuture.whenComplete { _ in work.cancel() }
        await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }
    }
}
