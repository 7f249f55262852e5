package import Project
package import Storage

/// Ends one session of an account, for operators.
package struct SessionEnding: Sendable {
    private let database: any Database
    private let environment: ServerEnvironment

    package init(database: any Database, environment: ServerEnvironment) {
        self.database = database
        self.environment = environment
    }

    /// Ends a session. Its refresh token is invalid at once.
    package func end(_ sessionID: String, of localID: String, context: CallContext) async throws -> Bool {
        let scope = context.scope
        let time = environment.now()
        let detail: JSONValue = ["sessionId": .string(sessionID)]
        let event = context.auditEvent(.sessionRevoked, of: localID, detail, by: environment, at: time)
        return try await database.write { transaction in
            let session = try transaction.session(scope, localID: localID, sessionID: sessionID)
            guard let session, session.revokedAt == nil else { return false }
            // Pending changes of address are dropped for all sessions, because which session asked for them is not stored.
            if let account = try transaction.account(scope, localID: localID) {
                try transaction.forgetAddressChanges(of: account, scope)
            }
            _ = try transaction.revokeSession(scope, localID: localID, sessionID: sessionID, at: time)
            try transaction.insertAuditEvent(scope, event)
            return true
        }
    }
}
