import Accounts
import Project
import Storage

/// Moves the server's clock forward. In development only.
struct ClockScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/development/clock"
    var needs: AdminScopes? { .all }
    var isOfProject: Bool { true }

    private static let units: [(name: String, seconds: Int64)] = [("minutes", 60), ("hours", 3600), ("days", 86_400)]

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (texts, clock) = (visit.texts, try tools.developerTools.clock)
        let form = Form(
            action: Self.path,
            fields: [
                Field(
                    name: "amount",
                    label: texts["clock.amount"],
                    kind: .number,
                    hint: texts["clock.hint"],
                    isRequired: true,
                    maximumLength: 6
                ),
                Field(
                    name: "unit",
                    label: texts["clock.unit"],
                    kind: .select(Self.units.map { Field.Option(text: texts["clock.\($0.name)"], value: $0.name) })
                ),
            ],
            button: texts["clock.advance"]
        )
        return .page(
            ConsolePage(
                title: texts["development.clock"],
                section: .development,
                blocks: [
                    DevelopmentScreen.links(visit), .paragraph(texts["clock.text"]),
                    .facts([
                        Fact(label: texts["clock.now"], value: .time(clock.now())),
                        Fact(label: texts["clock.ahead"], value: .number(clock.ahead.components.seconds / 60)),
                    ]), .form(form),
                ]
            )
        )
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let clock = try tools.developerTools.clock
        guard let unit = Self.units.first(where: { $0.name == visit.form["unit"] }), let amount = Int32(visit.form["amount"]),
            clock.advance(by: .seconds(Int64(amount) * unit.seconds))
        else {
            let days = MovableClock.furthest.components.seconds / 86_400
            throw InvalidArgument(visit.texts.text("clock.refused", ["days": "\(days)"]))
        }
        let detail: JSONValue = ["seconds": .integer(Int64(amount) * unit.seconds)]
        try await tools.useCases.operators.auditTrail.record(.clockMoved, detail, context: try visit.call())
        return .redirect(Self.path, done: "saved")
    }
}
