import Logging
import Project
import Storage
import Synchronization

/// Tells the operator of chains that somebody else changed. The log has each once in the life of a process; the metric counts every time.
final class BlockedAuditChains: Sendable {
    private let told = Mutex<Set<AuditChainKey>>([])

    private let work: String

    private static let most = 1000

    init(during work: String) { self.work = work }

    /// Counts them, and logs those that were not told yet.
    func report(_ keys: [AuditChainKey], _ environment: ServerEnvironment) {
        for _ in keys { environment.count("postern_audit_blocked_total", [("work", work)]) }
        for key in keys where told.withLock({ $0.count < Self.most && $0.insert(key).inserted }) {
            environment.logger.error(
                "a chain of the audit trail was changed by somebody else: postern audit verify says more",
                metadata: ["work": "\(work)", "tenant": "\(key.scope.tenantKey)", "class": "\(key.recordClass)"]
            )
        }
    }
}
