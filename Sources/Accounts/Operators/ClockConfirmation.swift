package import Project
package import Storage

/// Says that the system's clock is right, for operators: servers that do not believe it since a jump do so within seconds.
package struct ClockConfirmation: Sendable {
    private let database: any Database
    private let environment: ServerEnvironment

    package init(database: any Database, environment: ServerEnvironment) {
        self.database = database
        self.environment = environment
    }

    /// Sets the time of the store to that of this machine.
    ///
    /// - Returns: The time, and by how much the store's was behind it; `nil` when the store had none.
    package func confirm(context: CallContext) async throws -> (time: Timestamp, lead: Duration?) {
        let (time, eventID) = (environment.systemTime(), environment.newEventID())
        return try await database.write { transaction in
            let lead = try transaction.storeClock().map { Duration.milliseconds(time.milliseconds - $0.seenAt.milliseconds) }
            try transaction.confirmStoreClock(at: time)
            let detail: JSONValue = ["leadSeconds": lead.map { .integer($0.components.seconds) } ?? .null]
            let event = context.auditEvent(.clockConfirmed, of: nil, detail, id: eventID, at: time)
            try transaction.insertAuditEvent(context.scope, event)
            return (time, lead)
        }
    }
}
