package import Project
package import Storage
import Tenancy

/// Finds the refusals of the audit trail that belong to a request, a user, a client's address or a time. They tell an operator why
/// a sign-in failed.
package struct RefusalFinder: UsesRuntime {
    let runtime: Runtime

    /// What is known of the failed call. Everything that is set must hold.
    package struct Question: Sendable {
        package var requestID: String?
        package var localID: String?
        package var address: String?
        package var since: Timestamp?

        package init() {}
    }

    package static let mostExamined = 5000
    package static let mostFound = 50

    /// Finds refusals, the latest first.
    ///
    /// - Returns: The refusals, and whether older ones were not looked at.
    package func find(_ question: Question, in scope: Scope) async throws -> (found: [AuditEvent], isCut: Bool) {
        if scope.tenantID != nil { try await configurations.requireServed(scope) }
        let filter = AuditFilter(
            since: question.since,
            localID: question.localID,
            event: AuditEvent.Kind.refused.rawValue,
            limit: Self.mostExamined
        )
        let events = try await database.read { try $0.auditEvents(scope, filter) }
        let found = events.filter { event in
            (question.requestID.map { bytesEqual($0, event.detail?["requestId"]?.string) } ?? true)
                && (question.address.map { bytesEqual($0, event.address) } ?? true)
        }
        return (Array(found.prefix(Self.mostFound)), events.count == Self.mostExamined)
    }
}
