package import Project
package import Storage

/// The events about accounts on their way to the operator's web hook.
package struct EventDeliveries: Sendable {
    let database: any Database
    let environment: ServerEnvironment
    let changeLog: ChangeLog

    /// How many messages of each kind are examined.
    package static let most = 200

    /// What is on its way, and what came of the latest.
    package struct Overview: Sendable {
        /// The next first, at most ``EventDeliveries/most``.
        package let waiting: [OutboxDelivery]
        /// Those of the latest ``EventDeliveries/most`` that were given up, the latest first.
        package let failed: [OutboxDelivery]
        /// How many of the latest ``EventDeliveries/most`` were delivered.
        package let delivered: Int
    }

    /// Reads what is on its way.
    package func overview(_ context: CallContext) async throws -> Overview {
        let projectID = context.scope.projectID
        return try await database.read { transaction in
            let finished = try transaction.finishedDeliveries(projectID, limit: Self.most, in: .webhook)
            return Overview(
                waiting: try transaction.waitingDeliveries(projectID, limit: Self.most, in: .webhook),
                failed: finished.filter { $0.outcome == .dead },
                delivered: finished.count { $0.outcome == .sent }
            )
        }
    }

    /// Tries what waits at once, as after a repair of the receiver.
    @discardableResult
    package func hasten(_ context: CallContext) async throws -> Int {
        guard context.adminScopes.contains(.config) else { throw APIError(.insufficientPermission) }
        let (now, scope, eventID) = (environment.now(), context.scope.project, environment.newEventID())
        let count = try await database.write { transaction in
            let count = try transaction.hastenDeliveries(scope.projectID, at: now, limit: Self.most, in: .webhook)
            let detail: JSONValue = ["outbox": "webhook", "count": .integer(Int64(count))]
            let event = context.auditEvent(.deliveriesHastened, of: nil, detail, id: eventID, at: now)
            try transaction.insertAuditEvent(scope, event)
            return count
        }
        changeLog.wake()
        return count
    }
}
