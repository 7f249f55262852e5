import Accounts
import Project
import Storage

/// Records of the audit trail as a table.
enum EventTable {
    static func table(_ events: [AuditEvent], _ visit: ConsoleVisit, next: Link? = nil) -> Table {
        let texts = visit.texts
        return Table(
            caption: texts["audit.events"],
            columns: ["time", "event", "user", "actor", "address", "detail"].map { texts["audit.\($0)"] },
            rows: events.map { row($0, visit) },
            emptyText: texts["audit.none"],
            next: next
        )
    }

    static func row(_ event: AuditEvent, _ visit: ConsoleVisit) -> [Cell] {
        [
            .time(event.occurredAt), .foreign(event.event),
            event.localID.map { .link(text: $0, path: visit.link(UserScreen.path(of: $0))) } ?? .none,
            .foreign(event.actor), event.address.map(Cell.code) ?? .none, detail(event),
        ]
    }

    // Details hold texts of users and clients, never secrets; long ones are cut.
    private static func detail(_ event: AuditEvent) -> Cell {
        var parts =
            event.detail?.object.map { members in
                members.map { "\($0.key.text): \($0.value.string ?? $0.value.text)".cut(toBytes: 200) }
            } ?? []
        if event.repeats > 0 { parts.append("× \(event.repeats + 1)") }
        return parts.isEmpty ? .none : .several(parts.map(Cell.foreign))
    }
}
