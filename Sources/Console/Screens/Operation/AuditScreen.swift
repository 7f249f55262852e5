import Accounts
import Project
import Storage

/// The audit trail, the latest record first.
struct AuditScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/audit"
    var needs: AdminScopes? { .read }

    private static let pageSize = 100

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (texts, query, context) = (visit.texts, visit.query, try visit.call())
        let filter = AuditFilter(
            since: query.value("since").flatMap { Timestamp(rfc3339: $0 + "T00:00:00Z") },
            localID: query.value("user"),
            event: query.value("event"),
            limit: Self.pageSize
        )
        let (events, nextAfter) = try await tools.useCases.operators.auditTrail.events(
            filter,
            after: query.value("after"),
            in: context.scope
        )
        let kept = ["since", "user", "event"].compactMap { name in query.value(name).map { (name: name, value: $0) } }
        let next = nextAfter.map {
            Link(text: texts["table.next"], path: visit.link(Self.path, kept + [(name: "after", value: $0)]))
        }
        let search = Form(
            action: Self.path,
            method: .get,
            fields: [
                Field(name: "event", label: texts["audit.event"], value: query["event"], maximumLength: 64),
                Field(name: "user", label: texts["audit.user"], value: query["user"], maximumLength: 128, isCode: true),
                Field(name: "since", label: texts["audit.since"], kind: .date, value: query["since"]),
            ],
            hidden: visit.tenantFields,
            button: texts["audit.filter"],
            isInline: true
        )
        return .page(
            ConsolePage(
                title: texts["section.audit"],
                section: .audit,
                blocks: [.form(search), .table(EventTable.table(events, visit, next: next))]
            )
        )
    }
}
