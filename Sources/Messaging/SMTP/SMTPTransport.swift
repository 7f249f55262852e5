import Dispatch
import Project

/// Hands messages to a submission server, through libcurl.
///
/// libcurl blocks, so each lane has its own dispatch queue and its own connection, which is kept for the next message. TLS
/// certificates are always verified, and proxies and credential files of the process's environment are ignored.
package final class SMTPTransport: EmailTransport {
    /// How long an attempt may take.
    package struct Timeouts: Sendable {
        /// Until the connection is set up, including TLS.
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
    ///   - caFile: Path of a PEM bundle that is trusted besides the system's roots (`outbound.caFile`).
    ///   - lanes: How many messages are sent at once.
    ///   - connectTo: `host:port` to connect to instead of the server's own, for a tunnel or a test. The certificate must still
    ///     have the server's name.
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
        // The least busy lane. The outbox never sends more messages at once than there are lanes.
        let lane = pending.withLock { pending in
            let lane = pending.indices.min { pending[$0] < pending[$1] } ?? 0
            pending[lane] += 1
            return lane
        }
        defer { pending.withLock { $0[lane] -= 1 } }
        try await lanes[lane].send(submission)
    }
}
