package import Logging
package import Project
import ServiceLifecycle
package import Storage

/// Sends what is in the outbox, from the start of the node to its end.
///
/// Delivery is at least once. A node that dies after a server's answer and before its own note sends the message again, e-mail
/// with the same `Message-ID`. A graceful stop claims no more messages and waits for those being sent, which the transport's
/// timeout bounds.
package final class OutboxService: Service {
    /// How the service works.
    package struct Configuration: Sendable {
        /// How often the store is read, for messages of other nodes and for those that have become due.
        package let pollInterval: Duration
        /// How many messages are sent at once.
        package let concurrency: Int
        /// How long a message belongs to this node. It must be longer than a transport may take.
        package let lease: Duration
        /// How long the record of a sent or abandoned message is kept.
        package let retention: Duration

        package init(
            pollInterval: Duration = .seconds(3),
            concurrency: Int = 4,
            lease: Duration = .seconds(180),
            retention: Duration = .seconds(7 * 24 * 3600)
        ) {
            self.pollInterval = pollInterval
            self.concurrency = concurrency
            self.lease = lease
            self.retention = retention
        }
    }

    private let kind: OutboxKind
    private let database: any Database
    private let deliverer: OutboxDeliverer
    private let environment: ServerEnvironment
    private let configuration: Configuration
    private let logger: Logger
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    private static let sweepInterval = Duration.seconds(600)
    private static let sweepBatch = 500
    private static let sweepRounds = 200

    /// - Parameters:
    ///   - logger: Logs failures, without addresses or content.
    ///   - attempt: Opens a message and hands it over. Every error besides ``DeliveryError`` counts as a temporary failure.
    package init(
        _ kind: OutboxKind,
        database: any Database,
        environment: ServerEnvironment,
        logger: Logger,
        configuration: Configuration = Configuration(),
        attempt: @escaping @Sendable (OutboxRecord) async throws -> Void
    ) {
        self.kind = kind
        self.database = database
        self.environment = environment
        self.logger = logger
        self.configuration = configuration
        deliverer = OutboxDeliverer(
            kind: kind,
            database: database,
            environment: environment,
            logger: logger,
            attempt: attempt
        )
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// A service for e-mail.
    ///
    /// - Parameter transport: The transport for the mail of a scope; for `nil` the server's own.
    package convenience init(
        database: any Database,
        payloadSeal: PayloadSeal,
        environment: ServerEnvironment,
        logger: Logger,
        configuration: Configuration = Configuration(),
        transport: @escaping @Sendable (Scope?) async throws -> any EmailTransport
    ) {
        let outbox = EmailOutbox(payloadSeal: payloadSeal, environment: environment)
        self.init(
            .email,
            database: database,
            environment: environment,
            logger: logger,
            configuration: configuration,
            attempt: { record in
                let payload: OutboxPayload
                do { payload = try outbox.open(record) } catch { throw DeliveryError.permanent("cannot be opened") }
                let scope = payload.isServersOwn == true ? nil : record.scope
                try await transport(scope).send(payload.message, stamp: payload.stamp)
            }
        )
    }

    /// Reports that a message of this node has been committed to the outbox.
    package func wake() { signal.yield() }

    /// Works until the service group shuts down or the task is cancelled. May be called once.
    package func run() async throws {
        let running = LockedState(0)
        await withDiscardingTaskGroup { group in
            group.addTask { await self.tick() }
            var lastSweep: Timestamp?
            for await _ in signals.cancelOnGracefulShutdown() {
                await startDeliveries(in: &group, running: running)
                let now = environment.now()
                if lastSweep.map({ $0.advanced(by: Self.sweepInterval) <= now }) ?? true, environment.clockLead() == nil {
                    lastSweep = now
                    await sweep(at: now)
                }
            }
        }
    }

    private func tick() async {
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            wake()
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: self.configuration.pollInterval) }
        }
    }

    private func startDeliveries(in group: inout DiscardingTaskGroup, running: LockedState<Int>) async {
        let free = configuration.concurrency - running.withLock { $0 }
        guard free > 0, !Task.isCancelled else { return }
        let leaseID = environment.randomText(length: 22)
        for record in await claim(leaseID: leaseID, limit: free) {
            running.withLock { $0 += 1 }
            group.addTask {
                await self.deliverer.deliver(record, leaseID: leaseID)
                running.withLock { $0 -= 1 }
                // A place is free again, and more messages may be waiting.
                self.wake()
            }
        }
    }

    private func claim(leaseID: String, limit: Int) async -> [OutboxRecord] {
        // What was put in while the clock was wrong is due by the one or the other.
        let now = max(environment.now(), environment.steadyNow())
        // Another node's clock may be ahead of this one's.
        let leaseEnd = now.advanced(by: configuration.lease + ClockSkew.betweenNodes)
        let kind = kind
        do {
            return try await database.write {
                try $0.claimOutboxMessages(leaseID: leaseID, now: now, leaseEnd: leaseEnd, limit: limit, in: kind)
            }
        } catch {
            logger.failure("outbox not read", error, metadata: ["outbox": "\(kind)"])
            return []
        }
    }

    // A transaction deletes one batch, so that other writes do not wait long behind it. The bound of the rounds is for deliveries, which
    // wait for the sweep.
    private func sweep(at now: Timestamp) async {
        let limit = now.advanced(by: .zero - configuration.retention)
        let kind = kind
        do {
            for _ in 0..<Self.sweepRounds where !Task.isShuttingDownGracefully && !Task.isCancelled {
                let deleted = try await database.write {
                    try $0.deleteFinishedOutboxMessages(before: limit, limit: Self.sweepBatch, in: kind)
                }
                if deleted < Self.sweepBatch { return }
            }
        } catch {
            logger.failure("old messages not deleted", error, metadata: ["outbox": "\(kind)"])
        }
    }
}
