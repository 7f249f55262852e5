import Logging
import Project
import Storage
import Synchronization

/// Tells of chains that are not continued because their tables were changed by somebody else. Each is told once by each process.
final class BlockedAuditChains: Sendable {
    private let told = Mutex<Set<AuditChainKey>>([])

    private static let most = 1000

    /// Logs those that were not told yet.
    func report(_ keys: [AuditChainKey], _ logger: Logger) {
        for key in keys where told.withLock({ $0.count < Self.most && $0.insert(key).inserted }) {
            logger.error(
                "a chain of the audit trail was changed by somebody else, and is not continued: postern audit verify says more",
                metadata: ["tenant": "\(key.scope.tenantKey)", "class": "\(key.recordClass)"]
            )
        }
    }
}
