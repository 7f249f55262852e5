import Accounts
import Project
import Storage
import Tenancy

/// One change of the configuration: what it did, what is there now, and the way back.
struct ConfigurationChangeScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/configuration/{id}"
    // Fictional numbers and their codes are among the values.
    var needs: AdminScopes? { .config }

    /// The address of a change's screen.
    static func path(of eventID: String) -> String { "\(ConfigurationScreen.path)/\(PercentEncoding.encode(eventID))" }

    private var history: ConfigurationHistory { tools.useCases.operators.configuration.history }

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer { .page(try await page(visit)) }

    private func change(_ visit: ConsoleVisit, _ context: CallContext) async throws -> ConfigChangeRecord {
        do { return try await history.change(visit["id"], context: context) } catch ConfigurationHistory.RevertError.unknown {
            throw ConsoleFailure.unknownPage
        }
    }

    private func page(_ visit: ConsoleVisit) async throws -> ConsolePage {
        let (texts, person, context) = (visit.texts, try visit.person, try visit.call())
        let change = try await change(visit, context)
        let present = try await history.present(change, context: context)
        let facts = [
            Fact(label: texts["configuration.resource"], value: .code(change.place)),
            Fact(label: texts["configuration.change"], value: .text(texts["configuration.action.\(change.action.rawValue)"])),
            Fact(label: texts["audit.time"], value: .time(change.changedAt)),
            Fact(label: texts["audit.actor"], value: .foreign(change.actor)),
        ]
        var blocks: [Block] = [
            .links([Link(text: texts["section.configuration"], path: visit.link(ConfigurationScreen.path))]), .facts(facts),
            .table(table(change, present, texts)),
        ]
        if person.role.scopes.contains(.config) {
            if ConfigurationHistory.isReversible(change) {
                let form = Form(
                    action: Self.path(of: change.eventID),
                    hidden: visit.tenantFields + [(name: ConfigForm.markField, value: Self.mark(of: present))],
                    button: texts["configuration.takeBack"],
                    isDangerous: true,
                    confirmation: texts["configuration.takeBackText"]
                )
                blocks += [.paragraph(texts["configuration.takeBackText"]), .toolbar([form])]
            } else {
                blocks.append(.paragraph(texts["configuration.irreversible"]))
            }
        }
        return ConsolePage(title: texts["configuration.one"], section: .configuration, blocks: blocks)
    }

    private func table(_ change: ConfigChangeRecord, _ present: JSONValue?, _ texts: ConsoleTexts) -> Table {
        Table(
            caption: texts["configuration.members"],
            columns: ["member", "before", "after", "now"].map { texts["configuration.\($0)"] },
            rows: ChangedMember.all(of: change).map { member in
                let secret = Cell.text(texts["configuration.secret"])
                let now = member.path.reduce(present) { $0?[$1] }
                return [
                    .code(member.path.joined(separator: ".")), member.isHidden ? secret : .member(member.before),
                    member.isHidden ? secret : .member(member.after), member.isHidden ? .none : .member(now),
                ]
            },
            emptyText: texts["configuration.noChanges"]
        )
    }

    private static func mark(of document: JSONValue?) -> String { hexadecimal(sha256((document ?? .null).canonical())) }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        try visit.person.require(.config)
        _ = try visit.call()
        return try await DangerousAction.perform(visit) {
            // A factor was proven, so that stored secrets stay where client id or issuer change.
            let (context, shown) = (try visit.call(seesSecrets: true), visit.form[ConfigForm.markField])
            // The mark was made of an answer without secrets.
            let secret = ["clientSecret"]
            let expected = ExpectedResource { document in
                constantTimeEqual(Self.mark(of: document.map { $0.without(secret) }), shown)
            }
            do {
                try await history.takeBack(visit["id"], expecting: expected, context: context)
            } catch is StaleChange {
                return .page(try await page(visit).refusing([], visit.texts))
            } catch ConfigurationHistory.RevertError.unknown {
                throw ConsoleFailure.unknownPage
            } catch is ConfigurationHistory.RevertError {
                throw InvalidArgument(visit.texts["configuration.irreversible"])
            }
            return .redirect(visit.link(ConfigurationScreen.path), done: "takenBack")
        }
    }
}

extension JSONValue {
    fileprivate func without(_ names: [String]) -> JSONValue {
        guard let members = object else { return self }
        return .object(members.filter { !names.contains($0.key.text) })
    }
}
