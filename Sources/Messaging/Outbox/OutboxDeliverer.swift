import Logging
import Project
import Storage

/// One attempt at one message, and the note of how it went.
struct OutboxDeliverer: Sendable {
    let database: any Database
    let outbox: EmailOutbox
    let environment: ServerEnvironment
    let logger: Logger
    let transport: @Sendable (Scope) async throws -> any EmailTransport

    private enum Verdict {
        case sent
        case later(String)
        case never(String)
    }

    /// Tries a claimed message.
    func deliver(_ record: OutboxRecord, leaseID: String) async {
        let verdict = await attempt(record)
        do {
            try await note(verdict, of: record, leaseID: leaseID)
        } catch {
            // The lease ends by itself, and the message is tried again.
            logger.error("e-mail outbox not updated", metadata: ["message": "\(record.messageID)", "error": "\(error)"])
        }
    }

    private func attempt(_ record: OutboxRecord) async -> Verdict {
        guard environment.now() < record.expiresAt else { return .never("expired") }
        guard record.attempts <= RetrySchedule.maximumAttempts else { return .never("too many attempts") }
        let payload: OutboxPayload
        do { payload = try outbox.open(record) } catch { return .never("cannot be opened") }
        do {
            try await transport(record.scope).send(payload.message, stamp: payload.stamp)
            return .sent
        } catch EmailDeliveryError.permanent(let reason) {
            return .never(reason)
        } catch EmailDeliveryError.temporary(let reason) {
            return .later(reason)
        } catch {
            return .later("no transport")
        }
    }

    private func note(_ verdict: Verdict, of record: OutboxRecord, leaseID: String) async throws {
        let now = environment.now()
        let metadata: Logger.Metadata = ["message": "\(record.messageID)", "attempt": "\(record.attempts)"]
        switch verdict {
        case .sent:
            try await finish(record, leaseID, .sent, failure: nil, at: now)
            logger.debug("e-mail sent", metadata: metadata)
        case .never(let reason):
            try await finish(record, leaseID, .dead, failure: reason, at: now)
            logger.error("e-mail given up", metadata: metadata.merging(["reason": "\(reason)"]) { $1 })
        case .later(let reason):
            let jitter = environment.random(1).first ?? 0
            let due = now.advanced(by: RetrySchedule.pause(afterAttempts: record.attempts, jitter: jitter))
            // Not kept until then: its link will have expired.
            guard due < record.expiresAt else { return try await note(.never(reason), of: record, leaseID: leaseID) }
            _ = try await database.write {
                try $0.postponeOutboxMessage(record.messageID, leaseID: leaseID, until: due, failure: reason)
            }
            logger.warning("e-mail not sent, to be tried again", metadata: metadata.merging(["reason": "\(reason)"]) { $1 })
        }
    }

    private func finish(
        _ record: OutboxRecord,
        _ leaseID: String,
        _ outcome: OutboxOutcome,
        failure: String?,
        at time: Timestamp
    ) async throws {
        _ = try await database.write {
            try $0.finishOutboxMessage(record.messageID, leaseID: leaseID, outcome: outcome, failure: failure, at: time)
        }
    }
}
