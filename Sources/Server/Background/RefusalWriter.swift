import Accounts
import ServiceLifecycle

/// Writes noted refusals to the audit trail every second, and the last ones at the end.
struct RefusalWriter: Service {
    let refusals: RefusalAudit

    private static let interval = Duration.seconds(1)

    func run() async throws {
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            await refusals.write()
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.interval) }
        }
        await refusals.write()
    }
}

// The service group logs services by this text.
extension RefusalWriter: CustomStringConvertible {
    var description: String { "RefusalWriter" }
}
