import CoreMetrics
import Foundation
import Logging
import Passwords
import Project
import Storage
import Tokens

/// Collects what a monitor reads: what was counted, and how things stand at this moment.
struct MetricsCollector: Sendable {
    let registry: MetricsRegistry
    let database: any Database
    let hasher: PasswordHasher
    let keyRing: KeyRing
    let clock: ClockGuard
    let certificates: SAMLCertificateWatch
    /// `tokens.keyRotationDays`
    let keyRotationDays: Int
    let logger: Logger

    /// The page in Prometheus' form.
    func page() async -> String {
        await look()
        return registry.text
    }

    /// The same values for another form.
    func families() async -> [MetricsRegistry.Family] {
        await look()
        return registry.families
    }

    private func look() async {
        set("postern_build_info", 1, [("version", Release.version)])
        let load = hasher.load
        set("postern_password_hashes_running", load.running)
        set("postern_password_hashes_waiting", load.waiting)
        registry.set("postern_password_hashes_total", total: Double(load.defaultHashes))
        set("postern_database_waiting", database.waitingCount)
        for pool in database.pools {
            set("postern_database_connections", pool.size, [("kind", pool.kind)])
            set("postern_database_connections_in_use", pool.inUse, [("kind", pool.kind)])
        }
        lookAtSigningKey()
        let lead = clock.lead
        set("postern_clock_believed", lead == nil ? 1 : 0)
        set("postern_clock_lead_seconds", Int(lead?.components.seconds ?? 0))
        ProcessFigures.set(in: registry)
        do {
            let counts = try await database.read { transaction in
                try OutboxKind.allCases.map { ($0, try transaction.countWaitingOutboxMessages(in: $0)) }
            }
            for (kind, count) in counts { set("postern_outbox_waiting", count, [("outbox", "\(kind)")]) }
            await lookAtStandbys()
            let ends = try await certificates.ends()
            set("postern_saml_certificate_expiry_timestamp_seconds", ends.provider, [("role", "idp")])
            set("postern_saml_certificate_expiry_timestamp_seconds", ends.service, [("role", "sp")])
        } catch {
            // A page without these numbers is more useful to a monitor than no page.
            logger.failure("store not looked at for metrics", error, level: .warning)
        }
    }

    private func lookAtSigningKey() {
        let current = keyRing.published.last { $0.record.activatedAt != nil && $0.record.retiredAt == nil }
        if let activated = current?.record.activatedAt {
            let due = activated.advanced(by: .seconds(86_400 * keyRotationDays))
            set("postern_signing_key_rotation_timestamp_seconds", Int(due.seconds))
        }
    }

    private func lookAtStandbys() async {
        do {
            let replication = try await database.replication()
            set("postern_database_standbys", replication?.standbys ?? 0)
            let lag = Meter(label: "postern_database_replication_lag_seconds", factory: registry)
            lag.set(Double(replication?.lagMilliseconds ?? 0) / 1000)
        } catch {
            // Other servers of PostgreSQL's protocol have no such view.
            logger.debug("standbys not counted", metadata: ["cause": "\(error)"])
        }
    }

    private func set(_ label: String, _ value: Int, _ dimensions: [(String, String)] = []) {
        Meter(label: label, dimensions: dimensions, factory: registry).set(value)
    }
}
