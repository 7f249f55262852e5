package import Project
package import Storage
package import Tokens

/// What follows a restored backup: nothing of the time that is lost may pass for something of the time that begins (threat case
/// OPS-07).
///
/// After the backup accounts were made whose ids may be given to others now, and ID tokens for them are still about; codes were used
/// that are unused in the backup.
package struct Restoration: Sendable {
    private let database: any Database
    private let environment: ServerEnvironment

    package init(database: any Database, environment: ServerEnvironment) {
        self.database = database
        self.environment = environment
    }

    /// Replaces all signing keys, and forgets one-time codes, flows at providers and messages that wait.
    ///
    /// - Parameter endsSessions: Whether the sessions of the backup end, too. Some may have been revoked since.
    package func restore(
        _ ring: KeyRing,
        endsSessions: Bool,
        context: CallContext
    ) async throws -> (kid: String, endedSessions: Int) {
        let kid = try await ring.replaceAll()
        let (now, eventID) = (environment.now(), environment.newEventID())
        let ended = try await database.write { transaction in
            try transaction.forgetWhatWasBegun()
            let ended = endsSessions ? try transaction.endAllSessions(at: now) : 0
            let detail: JSONValue = ["endedSessions": .integer(Int64(ended))]
            let event = context.auditEvent(.restored, of: nil, detail, id: eventID, at: now)
            try transaction.insertAuditEvent(context.scope, event)
            return ended
        }
        return (kid, ended)
    }
}
