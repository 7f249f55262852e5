import CoreMetrics
import Foundation
import Logging
import Passwords
import Project
import Storage

/// Writes the page for a monitor: what was counted, and how things stand at this moment.
struct MetricsCollector: Sendable {
    let registry: MetricsRegistry
    let database: any Database
    let hasher: PasswordHasher
    let logger: Logger

    /// The page.
    func page() async -> String {
        set("postern_build_info", 1, [("version", Release.version)])
        let load = hasher.load
        set("postern_password_hashes_running", load.running)
        set("postern_password_hashes_waiting", load.waiting)
        set("postern_database_waiting", database.waitingCount)
        if let bytes = Self.residentBytes { set("process_resident_memory_bytes", bytes) }
        do {
            let counts = try await database.read { transaction in
                try OutboxKind.allCases.map { ($0, try transaction.countWaitingOutboxMessages(in: $0)) }
            }
            for (kind, count) in counts { set("postern_outbox_waiting", count, [("outbox", "\(kind)")]) }
        } catch {
            // A page without these numbers is more useful to a monitor than no page.
            logger.failure("outboxes not counted", error, level: .warning)
        }
        return registry.text
    }

    private func set(_ label: String, _ value: Int, _ dimensions: [(String, String)] = []) {
        Meter(label: label, dimensions: dimensions, factory: registry).set(value)
    }

    // Read from the kernel's account of this process, which exists only on Linux.
    private static var residentBytes: Int? {
        guard let pages = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ").dropFirst().first
        else { return nil }
        return Int(pages).map { $0 * Int(getpagesize()) }
    }
}
