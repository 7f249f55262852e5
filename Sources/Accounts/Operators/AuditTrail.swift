package import Project
package import Storage
import Tenancy

/// Reads the audit trail.
package struct AuditTrail: UsesRuntime {
    let runtime: Runtime

    /// The most events that one call returns.
    package static let maximumEvents = 10_000

    /// Records an act of an operator that is neither a change of an account nor of the configuration.
    ///
    /// - Parameter detail: Further facts, never secrets.
    package func record(_ kind: AuditEvent.Kind, _ detail: JSONValue? = nil, context: CallContext) async throws {
        let event = context.auditEvent(kind, detail, by: environment)
        try await database.write { try $0.insertAuditEvent(context.scope, event) }
    }

    /// Reads the events of a scope, the latest first.
    ///
    /// - Parameter after: The id of the event behind which to go on; `nil` to begin with the latest.
    /// - Throws: `APIError` `INVALID_TENANT_ID`; `InvalidArgument` when there is no event `after`.
    package func events(
        _ filter: AuditFilter,
        after: String? = nil,
        in scope: Scope
    ) async throws -> (events: [AuditEvent], nextAfter: String?) {
        if scope.tenantID != nil { try await configurations.requireServed(scope) }
        let limit = min(max(filter.limit, 1), Self.maximumEvents)
        var found = try await database.read { [filter] transaction in
            var filter = filter
            if let after {
                guard let place = try transaction.placeOfAuditEvent(scope, eventID: after) else {
                    throw InvalidArgument("there is no event \(after)")
                }
                filter.after = place
            }
            // One more than the limit shows whether anything is left.
            filter.limit = limit + 1
            return try transaction.auditEvents(scope, filter)
        }
        guard found.count > limit else { return (found, nil) }
        found.removeLast(found.count - limit)
        return (found, found.last?.eventID)
    }
}
