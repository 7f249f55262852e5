package import Project
package import Storage
import Tenancy

/// Reads the audit trail.
package struct AuditTrail: Grounded {
    let ground: Ground

    /// The most events that one call returns.
    package static let maximumEvents = 10_000

    /// Reads the events of a scope, the latest first.
    ///
    /// - Parameters:
    ///   - filter: Selects the events and limits their number.
    ///   - scope: The project or tenant.
    /// - Returns: The events.
    /// - Throws: `APIError` `INVALID_TENANT_ID`; `StorageError`.
    package func events(_ filter: AuditFilter, in scope: Scope) async throws -> [AuditEvent] {
        if scope.tenantID != nil { _ = try await configurations.configuration(of: scope) }
        var filter = filter
        filter.limit = min(max(filter.limit, 1), Self.maximumEvents)
        return try await database.read { [filter] in try $0.auditEvents(scope, filter) }
    }
}
