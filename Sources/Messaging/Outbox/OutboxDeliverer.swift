import Logging
import Project
import Storage
import Tracing

/// Makes one attempt at one message and records the result.
struct OutboxDeliverer: Sendable {
    let kind: OutboxKind
    let database: any Database
    let environment: ServerEnvironment
    let logger: Logger
    /// Opens a message and hands it over. It throws ``DeliveryError``; any other error counts as temporary.
    let attempt: @Sendable (OutboxRecord) async throws -> Void

    private enum Verdict {
        case sent
        case later(String)
        case never(String)

        /// A word for metrics and spans.
        var outcome: String {
            switch self {
            case .sent: "sent"
            case .later: "postponed"
            case .never: "given_up"
            }
        }
    }

    private var noun: String {
        switch kind {
        case .email: "e-mail"
        case .sms: "SMS"
        case .webhook: "event"
        }
    }

    private var schedule: RetrySchedule {
        switch kind {
        case .email: .email
        case .sms: .sms
        case .webhook: .webhook
        }
    }

    /// Tries to deliver a claimed message.
    func deliver(_ record: OutboxRecord, leaseID: String) async {
        await TracedOperation.deliver.traceAlone(by: environment.tracing) { span in
            let verdict = await verdict(record)
            if let span { describe(verdict, of: record, in: span) }
            do {
                try await note(verdict, of: record, leaseID: leaseID)
            } catch {
                // The lease expires, and the message is tried again.
                logger.failure("\(noun) outbox not updated", error, metadata: ["messageId": "\(record.messageID)"])
            }
        }
    }

    // A reason may quote a server, so it is left to the log.
    private func describe(_ verdict: Verdict, of record: OutboxRecord, in span: any Span) {
        span.attributes["postern.outbox"] = SpanAttribute.string("\(kind)")
        span.attributes["postern.outbox.attempt"] = record.attempts
        span.attributes["postern.outbox.outcome"] = SpanAttribute.string(verdict.outcome)
        guard case .sent = verdict else {
            span.attributes["error.type"] = SpanAttribute.string(verdict.outcome)
            return span.setStatus(SpanStatus(code: .error))
        }
    }

    private func verdict(_ record: OutboxRecord) async -> Verdict {
        guard environment.steadyNow() < record.expiresAt else { return .never("expired") }
        guard record.attempts <= schedule.maximumAttempts else { return .never("too many attempts") }
        do {
            try await attempt(record)
            return .sent
        } catch DeliveryError.permanent(let reason) {
            return .never(reason)
        } catch DeliveryError.temporary(let reason) {
            return .later(reason)
        } catch {
            return .later("no transport")
        }
    }

    private func note(_ verdict: Verdict, of record: OutboxRecord, leaseID: String) async throws {
        let now = environment.now()
        let metadata: Logger.Metadata = ["messageId": "\(record.messageID)", "attempt": "\(record.attempts)"]
        switch verdict {
        case .sent:
            count(verdict)
            try await finish(record, leaseID, .sent, failure: nil, at: now)
            logger.debug("\(noun) sent", metadata: metadata)
        case .never(let reason):
            count(verdict)
            try await finish(record, leaseID, .dead, failure: reason, at: now)
            logger.error("\(noun) given up", metadata: metadata.merging(["reason": "\(reason)"]) { $1 })
        case .later(let reason):
            let jitter = environment.random(1).first ?? 0
            let due = environment.steady(now).advanced(by: schedule.pause(afterAttempts: record.attempts, jitter: jitter))
            // At the next attempt the link or code would have expired.
            guard due < record.expiresAt else { return try await note(.never(reason), of: record, leaseID: leaseID) }
            count(verdict)
            _ = try await database.write {
                try $0.postponeOutboxMessage(record.messageID, leaseID: leaseID, until: due, failure: reason, in: kind)
            }
            logger.warning("\(noun) not sent, to be tried again", metadata: metadata.merging(["reason": "\(reason)"]) { $1 })
        }
    }

    private func count(_ verdict: Verdict) {
        environment.count("postern_outbox_deliveries_total", [("outbox", "\(kind)"), ("outcome", verdict.outcome)])
    }

    private func finish(
        _ record: OutboxRecord,
        _ leaseID: String,
        _ outcome: OutboxOutcome,
        failure: String?,
        at time: Timestamp
    ) async throws {
        _ = try await database.write {
            try $0.finishOutboxMessage(record.messageID, leaseID: leaseID, outcome: outcome, failure: failure, at: time, in: kind)
        }
    }
}
