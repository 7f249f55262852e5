import Accounts
import Project
import Storage

/// Sets of users to begin from: saves those that are there, and puts a set in their place. In development only.
struct SeedsScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/development/seeds"
    var needs: AdminScopes? { .all }
    var isOfProject: Bool { true }

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (texts, seeds) = (visit.texts, try tools.developerTools.seeds)
        var blocks: [Block] = [DevelopmentScreen.links(visit), .paragraph(texts["seeds.text"])]
        guard let place = seeds.place else {
            blocks.append(.paragraph(texts["seeds.noPlace"]))
            return page(visit, blocks)
        }
        if seeds.isUnfinished {
            blocks += [
                .notice(Notice(kind: .warning, text: texts["seeds.unfinished"])),
                .toolbar([form("bringBack", texts["seeds.bringBack"]), form("giveUp", texts["seeds.giveUp"])]),
            ]
        }
        let table = Table(
            caption: texts["development.seeds"],
            columns: ["seeds.name", "seeds.saved", "profile.actions"].map { texts[$0] },
            rows: try seeds.all().map { seed in
                [
                    .code(seed.name), .time(seed.savedAt),
                    .forms([
                        form("load", texts["seeds.load"], seed.name), form("remove", texts["profile.remove"], seed.name),
                    ]),
                ]
            },
            emptyText: texts["seeds.none"]
        )
        let save = Form(
            action: Self.path,
            fields: [
                Field(
                    name: "name",
                    label: texts["seeds.name"],
                    hint: texts["seeds.nameHint"],
                    isRequired: true,
                    maximumLength: 40,
                    isCode: true
                )
            ],
            hidden: [(name: "do", value: "save")],
            button: texts["seeds.save"]
        )
        blocks += [
            .facts([Fact(label: texts["backups.directory"], value: .code(place))]), .table(table), .form(save),
        ]
        return page(visit, blocks)
    }

    private func page(_ visit: ConsoleVisit, _ blocks: [Block]) -> ConsoleAnswer {
        .page(ConsolePage(title: visit.texts["development.seeds"], section: .development, blocks: blocks))
    }

    private func form(_ action: String, _ text: String, _ name: String? = nil) -> Form {
        button(text, action, name.map { [(name: "name", value: $0)] } ?? [], isDangerous: true)
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (seeds, person, name) = (try tools.developerTools.seeds, try visit.person, visit.form["name"])
        let context = try visit.call()
        func record(_ event: AuditEvent.Kind) async throws {
            try await tools.useCases.operators.auditTrail.record(event, ["set": .string(name)], context: context)
        }
        switch visit.form["do"] {
        case "save":
            let save: () async throws -> ConsoleAnswer = {
                try await tools.load.holding(.work, for: person) { try await seeds.save(name) }
                try await record(.seedSetSaved)
                return .redirect(Self.path, done: "saved")
            }
            guard try seeds.all().contains(where: { bytesEqual($0.name, name) }) else { return try await save() }
            return try await DangerousAction.asking(visit, save)
        case "load":
            return try await DangerousAction.asking(visit) {
                try await tools.load.holding(.work, for: person) { try await seeds.load(name) }
                try await record(.seedSetLoaded)
                return .redirect(Self.path, done: "saved")
            }
        case "bringBack":
            return try await DangerousAction.asking(visit) {
                try await tools.load.holding(.work, for: person) { try await seeds.bringBack() }
                try await record(.seedLoadUndone)
                return .redirect(Self.path, done: "saved")
            }
        case "giveUp":
            return try await DangerousAction.asking(visit) {
                try await seeds.giveUp()
                try await record(.seedLoadGivenUp)
                return .redirect(Self.path, done: "deleted")
            }
        case "remove":
            return try await DangerousAction.asking(visit) {
                try await seeds.remove(name)
                try await record(.seedSetRemoved)
                return .redirect(Self.path, done: "deleted")
            }
        default: throw ConsoleFailure.noSuchAction
        }
    }
}
