import Accounts
import Project
import Settings
import Storage
import Tenancy

/// Blocking functions and web hooks: their addresses, what is on its way to them, and a test event to each.
struct HooksScreen: SettingsScreen {
    let tools: ConsoleTools

    static let path = "/console/hooks"
    static let section = ConsoleSection.hooks
    var isOfProject: Bool { true }
    // The functions of a project apply to its tenants, which have none of their own.
    static let tenant: [ConfigField] = []

    static let project =
        BlockingFunctions.Event.allCases.map { event in
            ConfigField("blockingFunctions.triggers.\(event.rawValue).functionUri", "function.\(event.rawValue)")
        }
        + ["idToken", "accessToken", "refreshToken"].map {
            ConfigField("blockingFunctions.forwardInboundCredentials.\($0)", "forwarded.\($0)")
        }

    private static let shown = 50

    func blocks(_ visit: ConsoleVisit, _ document: JSONValue) async throws -> [Block] {
        let (texts, person) = (visit.texts, try visit.person)
        let context = try person.call(in: nil)
        let mayChange = person.role.scopes.contains(.config)
        let overview = try await tools.useCases.operators.deliveries.overview(context)
        var blocks: [Block] = [
            .heading(texts["hooks.receivers"]), .table(receivers(document, visit, mayChange)),
            .heading(texts["hooks.deliveries"]),
            .facts([
                Fact(label: texts["hooks.waiting"], value: .text(Self.count(overview.waiting.count))),
                Fact(label: texts["hooks.delivered"], value: .text(Self.count(overview.delivered))),
                Fact(label: texts["hooks.failed"], value: .text(Self.count(overview.failed.count))),
            ]), .table(waiting(overview.waiting, texts)),
        ]
        if mayChange, !overview.waiting.isEmpty { blocks.append(.toolbar([form("hasten", texts["hooks.hasten"])])) }
        return blocks + [.table(failed(overview.failed, texts))]
    }

    // Beyond what is examined, nobody knows how many there are.
    private static func count(_ count: Int) -> String {
        count >= EventDeliveries.most ? "\(EventDeliveries.most)+" : "\(count)"
    }

    private func form(_ action: String, _ text: String, hook: String? = nil) -> Form {
        button(text, action, hook.map { [(name: "hook", value: $0)] } ?? [])
    }

    private func receivers(_ document: JSONValue, _ visit: ConsoleVisit, _ mayChange: Bool) -> Table {
        let texts = visit.texts
        let rows = HookTest.Hook.all.compactMap { hook -> [Cell]? in
            guard let address = address(of: hook, document) else { return nil }
            // An address may have a password or a token in it.
            let shown = mayChange ? address : WebAddress(address).map { "\($0.origin)" } ?? "-"
            return [
                .text(texts["hooks.name.\(hook.word)"]), .code(shown),
                mayChange ? .forms([form("test", texts["hooks.test"], hook: hook.word)]) : .none,
            ]
        }
        return Table(
            caption: texts["hooks.receivers"],
            columns: ["hooks.receiver", "hooks.address", "profile.actions"].map { texts[$0] },
            rows: rows,
            emptyText: texts["hooks.noReceivers"]
        )
    }

    private func address(of hook: HookTest.Hook, _ document: JSONValue) -> String? {
        switch hook {
        case .function(let event): document["blockingFunctions"]?["triggers"]?[event.rawValue]?["functionUri"]?.string
        case .events: tools.settings.webhooks.receiver?.url.text
        case .audit: tools.settings.audit.webhook?.url.text
        }
    }

    private func waiting(_ deliveries: [OutboxDelivery], _ texts: ConsoleTexts) -> Table {
        Table(
            caption: texts["hooks.waiting"],
            columns: ["audit.event", "profile.created", "hooks.attempts", "hooks.due", "hooks.failure"].map { texts[$0] },
            rows: deliveries.prefix(Self.shown).map { delivery in
                [
                    .code(Self.name(of: delivery)), .time(delivery.createdAt), .number(Int64(delivery.attempts)),
                    .time(delivery.dueAt), delivery.failure.map(Cell.foreign) ?? .none,
                ]
            },
            emptyText: texts["hooks.noneWait"]
        )
    }

    private func failed(_ deliveries: [OutboxDelivery], _ texts: ConsoleTexts) -> Table {
        Table(
            caption: texts["hooks.failed"],
            columns: ["audit.event", "profile.created", "hooks.attempts", "hooks.ended", "hooks.failure"].map { texts[$0] },
            rows: deliveries.prefix(Self.shown).map { delivery in
                [
                    .code(Self.name(of: delivery)), .time(delivery.createdAt), .number(Int64(delivery.attempts)),
                    delivery.finishedAt.map(Cell.time) ?? .none, delivery.failure.map(Cell.foreign) ?? .none,
                ]
            },
            emptyText: texts["hooks.noneFailed"]
        )
    }

    // The id of an event has its kind in the middle.
    private static func name(of delivery: OutboxDelivery) -> String {
        let parts = delivery.messageID.split(separator: ".")
        return parts.count == 3 ? "user.\(parts[1])" : delivery.messageID
    }

    private enum Action: String {
        case hasten, test
        case save = ""
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let person = try visit.person
        switch try visit.form.action(Action.self) {
        case .hasten:
            try person.require(.config)
            try await tools.useCases.operators.deliveries.hasten(try person.call(in: nil))
            return .redirect(Self.path, done: "hastened")
        case .test:
            try person.require(.config)
            return .page(try await test(visit))
        case .save: return try await save(visit)
        }
    }

    private func test(_ visit: ConsoleVisit) async throws -> ConsolePage {
        let (texts, person) = (visit.texts, try visit.person)
        let context = try person.call(in: nil)
        guard let hook = HookTest.Hook.all.first(where: { bytesEqual($0.word, visit.form["hook"]) }) else {
            throw ConsoleFailure.noSuchAction
        }
        let test = tools.useCases.operators.hookTest
        let answer = try await tools.load.holding(.work, for: person) { try await test.send(hook, context: context) }
        guard let answer else { throw InvalidArgument(texts["hooks.noReceivers"]) }
        var page = try await page(visit)
        let status = answer.status.map { texts.text("hooks.answered", ["status": "\($0)"]) } ?? texts["hooks.silent"]
        page.notice = Notice(
            kind: answer.isGood ? .success : .error,
            text: "\(texts["hooks.name.\(hook.word)"]): \(status)",
            items: answer.reason.map { [$0] } ?? []
        )
        return page
    }
}
