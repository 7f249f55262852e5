import Accounts
import Project
import Storage
import Tenancy

/// What runs beside the project file, and the latest changes.
struct ConfigurationScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/configuration"
    // Fictional numbers and their codes are among the values.
    var needs: AdminScopes? { .config }

    private static let shownDifferences = 200

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (texts, context) = (visit.texts, try visit.call())
        let changes = try await tools.useCases.operators.configuration.history.changes(context)
        var blocks: [Block] = [.heading(texts["configuration.history"]), .table(table(changes, visit))]
        if visit.tenantID == nil { blocks += try await file(texts, context) }
        return .page(ConsolePage(.configuration, texts, blocks))
    }

    private func table(_ changes: [ConfigChangeRecord], _ visit: ConsoleVisit) -> Table {
        let texts = visit.texts
        return Table(
            caption: texts["configuration.history"],
            columns: ["audit.time", "configuration.resource", "configuration.change", "configuration.members", "audit.actor"]
                .map { texts[$0] },
            rows: changes.map { change in
                let members = ChangedMember.all(of: change).prefix(5).map { $0.path.joined(separator: ".") }
                return [
                    .link(
                        text: Cell.shown(change.changedAt),
                        path: visit.link(ConfigurationChangeScreen.path(of: change.eventID))
                    ),
                    .code(change.place), .text(texts["configuration.action.\(change.action.rawValue)"]),
                    .foreign(members.joined(separator: ", ")), .foreign(change.actor),
                ]
            },
            emptyText: texts["configuration.noChanges"]
        )
    }

    private func file(_ texts: ConsoleTexts, _ context: CallContext) async throws -> [Block] {
        let download = Link(text: texts["configuration.download"], path: ProjectFileScreen.path)
        var blocks: [Block] = [
            .heading(texts["configuration.file"]), .paragraph(texts["configuration.fileText"]), .links([download]),
        ]
        let declaration: ProjectDeclaration?
        do { declaration = try await tools.projectFile() } catch {
            // What is wrong with the file may quote it, so that only the command on the server says it.
            return blocks + [.notice(Notice(kind: .warning, text: texts["configuration.unreadable"]))]
        }
        guard let declaration else { return blocks + [.paragraph(texts["configuration.noFile"])] }
        let (changes, additions) = try await tools.useCases.operators.configuration.comparison.differences(
            from: declaration,
            context: context
        )
        blocks.append(.table(table(changes, "configuration.differs", "configuration.noDifference", texts)))
        blocks.append(
            .details(
                summary: texts.text("configuration.onlyRunning", ["count": "\(additions.count)"]),
                [.table(table(additions, "configuration.additions", "configuration.noAdditions", texts))]
            )
        )
        return blocks
    }

    private func table(
        _ differences: [ProjectComparison.Difference],
        _ caption: String,
        _ empty: String,
        _ texts: ConsoleTexts
    ) -> Table {
        Table(
            caption: texts[caption],
            columns: ["resource", "member", "inFile", "running"].map { texts["configuration.\($0)"] },
            rows: differences.prefix(Self.shownDifferences).map { difference in
                func cell(_ value: JSONValue?) -> Cell {
                    difference.isSecret ? .text(texts["configuration.secret"]) : .member(value)
                }
                return [
                    .code(difference.place), .code(difference.path.joined(separator: ".")), cell(difference.declared),
                    cell(difference.running),
                ]
            },
            emptyText: texts[empty]
        )
    }
}

extension Cell {
    private static let longestMember = 500

    static func member(_ value: JSONValue?) -> Cell {
        switch value {
        case nil, .null: .none
        case .string(let text): .foreign(text.cut(toBytes: longestMember))
        case let value?: .code(value.text.cut(toBytes: longestMember))
        }
    }
}

extension ConfigChangeRecord {
    /// The resource, for people.
    var place: String { resourceID.isEmpty ? kind.rawValue : "\(kind.rawValue) \(resourceID)" }
}
