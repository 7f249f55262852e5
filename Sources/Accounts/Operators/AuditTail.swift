package import Project
package import Storage

/// Follows the audit trail of a scope: each look gives the events that are new since the one before.
///
/// The first look knows the new ones by their place before the one it begins with, so it may miss an event of the same millisecond. The
/// trail itself misses none.
package struct AuditTail: Sendable {
    private let trail: AuditTrail
    private let scope: Scope
    private let start: String?
    // The events of the last look, which the next one may meet again.
    private var seen: Set<String>?
    private var latest: Timestamp?

    /// The most events of one look. Of more, the latest are given.
    package static let mostEvents = 200
    // Servers' clocks differ, and a transaction may take a while, so an event may come behind a later one.
    private static let overlap = Duration.seconds(10)

    /// - Parameter start: The id of the last event that is known; `nil` to begin with what comes next.
    package init(_ trail: AuditTrail, in scope: Scope, after start: String?) {
        self.trail = trail
        self.scope = scope
        self.start = start
    }

    /// Looks for new events.
    package mutating func next() async throws -> [AuditEvent] {
        let since = latest.map { $0 - Self.overlap }
        let events = try await trail.events(AuditFilter(since: since, limit: Self.mostEvents), in: scope).events
        let fresh: [AuditEvent]
        if let seen {
            fresh = events.filter { !seen.contains($0.eventID) }
        } else {
            fresh = start.map { start in Array(events.prefix { $0.eventID != start }) } ?? []
        }
        seen = Set(events.map(\.eventID))
        latest = events.first?.occurredAt ?? latest
        return fresh.reversed()
    }
}
