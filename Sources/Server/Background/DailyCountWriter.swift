import Accounts
import ServiceLifecycle

/// Adds the counts of the day to the store every five seconds, and the last ones at the end.
struct DailyCountWriter: Service {
    let counts: DailyCounts

    private static let interval = Duration.seconds(5)

    func run() async throws {
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.interval) }
            await counts.write()
        }
    }
}

// The service group logs services by this text.
extension DailyCountWriter: CustomStringConvertible {
    var description: String { "DailyCountWriter" }
}
