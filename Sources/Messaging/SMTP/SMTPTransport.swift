import Dispatch
import Project

/// Hands messages to a submission server, through libcurl.
///
/// libcurl blocks, so each lane has a dispatch queue and a connection of its own; the connection is kept for the next message.
/// TLS is verified always, and no proxy or credentials file of the process's surroundings is used.
package final class SMTPTransport: EmailTransport {
    /// How long an attempt may take.
    package struct Timeouts: Sendable {
        /// Until the connection stands, its TLS included.
        package let connect: Duration
        /// For the whole attempt.
        package let total: Duration

        package init(connect: Duration = .seconds(10), total: Duration = .seconds(30)) {
            self.connect = connect
            self.total = total
        }
    }

    private let lanes: [SMTPLane]
    private let pending: LockedState<[Int]>

    /// A transport to one server.
    ///
    /// - Parameters:
    ///   - server: Where to.
    ///   - timeouts: How long an attempt may take.
    ///   - caFile: Path of a PEM bundle trusted beside the system's roots (`outbound.caFile`).
    ///   - lanes: How many messages travel at once.
    ///   - connectTo: `host:port` to connect to in place of the server's own, whose name the certificate must still bear: for a
    ///     tunnel or a test.
    package init(
        server: SMTPServerConfiguration,
        timeouts: Timeouts = Timeouts(),
        caFile: String? = nil,
        lanes: Int = 4,
        connectTo: String? = nil
    ) {
        let options = SMTPLane.Options(server: server, timeouts: timeouts, caFile: caFile, connectTo: connectTo)
        self.lanes = (0..<max(1, lanes)).map { SMTPLane(options, number: $0) }
        pending = LockedState(Array(repeating: 0, count: max(1, lanes)))
    }

    package func send(_ message: EmailMessage, stamp: EmailStamp) async throws {
        let content: [UInt8]
        do {
            content = try MIMEEncoder.encode(message, stamp: stamp)
        } catch {
            throw DeliveryError.permanent("\(error)")
        }
        let submission = SMTPSubmission(
            sender: message.from.specification,
            recipient: message.to.specification,
            clientName: message.from.domain,
            content: content
        )
        // The least busy lane; the outbox sends no more at once than there are lanes.
        let lane = pending.withLock { pending in
            let lane = pending.indices.min { pending[$0] < pending[$1] } ?? 0
            pending[lane] += 1
            return lane
        }
        defer { pending.withLock { $0[lane] -= 1 } }
        try await lanes[lane].send(submission)
    }
}
