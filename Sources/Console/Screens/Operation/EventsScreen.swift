import Accounts
import Project
import Storage

/// The latest events. With scripts they appear as they happen; without, the page is loaded again.
struct EventsScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/events"
    var needs: AdminScopes? { .read }

    private static let shownEvents = 50

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (texts, context) = (visit.texts, try visit.call())
        let events = try await tools.useCases.operators.auditTrail.events(
            AuditFilter(limit: Self.shownEvents),
            in: context.scope
        ).events
        var table = EventTable.table(events, visit)
        // Where there are no events yet, no id is known, and all that come are new.
        let last = [(name: EventStreamScreen.afterField, value: events.first?.eventID ?? "-")]
        table.live = Table.Live(
            path: visit.link(EventStreamScreen.path, last),
            running: texts["events.running"],
            ended: texts["events.ended"],
            pause: texts["events.pause"],
            resume: texts["events.resume"]
        )
        let reload = Link(text: texts["events.reload"], path: visit.link(Self.path))
        return .page(ConsolePage(.events, texts, [.links([reload]), .table(table)]))
    }
}
