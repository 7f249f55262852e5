import Accounts
import Logging
import Project
import ServiceLifecycle
import Settings
import Storage
import Tokens

/// The background work of a node: takes over changed keys, rotates them when due, and forgets what has expired.
struct Maintenance: Service {
    let core: Core

    // Changes made on another node are in force here within two seconds (`Docs/Architecture.md#storage`).
    private static let keyInterval = Duration.seconds(1)
    private static let cleaningInterval = 60
    private static let chainingInterval = 5
    private static let reviewInterval = 5

    func run() async throws {
        var round = 0
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            if round.isMultiple(of: Self.reviewInterval) {
                await attempt("clock not compared with the store's time") { try await core.clock.review(core.database) }
            }
            await attempt("keys not refreshed") { try await core.keyRing.refresh() }
            if round.isMultiple(of: Self.chainingInterval) {
                await attempt("audit trail not chained") {
                    try await core.auditSequencer.sequence { Task.isShuttingDownGracefully }
                }
            }
            // Whether a key is due, or a row expired, is not known while the clock is not believed.
            if round.isMultiple(of: Self.cleaningInterval), core.clock.lead == nil {
                await attempt("keys not rotated") {
                    try await core.keyRing.rotateIfDue(days: core.settings.tokens.keyRotationDays)
                }
                await attempt("expired rows not removed") {
                    try await core.expiredRows.remove { Task.isShuttingDownGracefully }
                }
            }
            round += 1
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.keyInterval) }
        }
    }

    private func attempt(_ failure: Logger.Message, _ work: () async throws -> Void) async {
        do {
            try await work()
        } catch {
            core.logger.failure(failure, error)
        }
    }
}

// The service group logs services by this text. The default would print all members, including secrets (threat case OPS-04).
extension Maintenance: CustomStringConvertible {
    var description: String { "Maintenance" }
}
