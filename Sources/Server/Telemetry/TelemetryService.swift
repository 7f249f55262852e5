import AsyncHTTPClient
import Logging
import NIOCore
import NIOSSL
import Project
import ServiceLifecycle

/// Sends what waits, from the start of the node to its end. What waits at the end is sent once more, within the time of one request.
final class TelemetryService: Service {
    /// A queue and what sends it.
    struct Export: Sendable {
        /// The time between two sendings.
        let delay: Duration
        /// Rung when there is enough to send at once.
        let signals: AsyncStream<Void>
        /// Rings ``signals``.
        let wake: @Sendable () -> Void
        /// Sends what waits.
        let send: @Sendable (_ client: HTTPClient, _ isLast: Bool) async -> Void
    }

    private let exports: [Export]
    private let tls: TLSConfiguration

    init(_ exports: [Export], tls: TLSConfiguration) {
        self.exports = exports
        self.tls = tls
    }

    /// Works until the service group shuts down or the task is cancelled. May be called once.
    func run() async throws {
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
        // Exports are not traced themselves.
        configuration.tracing.tracer = nil
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        await Self.ending(within: Self.farewell) { await self.work(client) }
        try? await client.shutdown()
    }

    // A collector that does not answer keeps nobody waiting who ends: supervisors kill after ten seconds.
    private static let farewell = Duration.seconds(3)

    private static func ending(within time: Duration, _ work: @escaping @Sendable () async -> Void) async {
        await withTaskGroup { group in
            group.addTask { await work() }
            group.addTask {
                try? await gracefulShutdown()
                try? await Task.sleep(for: time)
            }
            await group.next()
            group.cancelAll()
        }
    }

    private func work(_ client: HTTPClient) async {
        await withDiscardingTaskGroup { group in
            for export in exports {
                group.addTask { await Self.ring(export) }
                group.addTask {
                    for await _ in export.signals.cancelOnGracefulShutdown() { await export.send(client, false) }
                    await export.send(client, true)
                }
            }
        }
    }

    private static func ring(_ export: Export) async {
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: export.delay) }
            export.wake()
        }
    }
}

extension TelemetryService.Export {
    /// Sends the entries of a queue, batch by batch.
    static func entries<Entry: Sendable>(
        of queue: ExportQueue<Entry>,
        every delay: Duration,
        by sender: OTLPSender,
        _ document: @escaping @Sendable ([Entry]) -> [UInt8]
    ) -> Self {
        Self(delay: delay, signals: queue.signals, wake: { queue.wake() }) { client, isLast in
            while true {
                let batch = queue.take()
                guard !batch.isEmpty else { return }
                let outcome = await sender.send(document(batch), by: client, isLast: isLast)
                if outcome == .lost {
                    queue.lose(batch.count)
                    // A collector that is gone keeps nobody who ends waiting.
                    if isLast { return }
                }
            }
        }
    }

    /// Sends a document that is made anew each time.
    static func snapshots(
        every delay: Duration,
        by sender: OTLPSender,
        _ document: @escaping @Sendable () async -> [UInt8]
    ) -> Self {
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        return Self(delay: delay, signals: signals, wake: { signal.yield() }) { client, isLast in
            _ = await sender.send(await document(), by: client, isLast: isLast)
        }
    }
}

// The service group logs services by this text. The default would print all members, including secrets (threat case OPS-04).
extension TelemetryService: CustomStringConvertible {
    var description: String { "TelemetryService" }
}
