import Accounts
import Project
import Settings
import Storage

/// Mails, links and codes as they are made, and the end of all accounts. In development only.
struct DevelopmentScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/development"
    // Codes and links open accounts.
    var needs: AdminScopes? { .all }

    private static let shown = 100

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        _ = try tools.developerTools
        let (texts, scope) = (visit.texts, try visit.call().scope)
        let mails = try await tools.useCases.emulator.oobCodeListing.list(scope).suffix(Self.shown).reversed()
        let codes = try await tools.useCases.codes.sms.shown(in: scope).suffix(Self.shown).reversed()
        let clear = button(texts["development.clear"], "clear", visit.tenantFields, isDangerous: true)
        return .page(
            ConsolePage(
                title: texts["section.development"],
                section: .development,
                blocks: [
                    Self.links(visit), .paragraph(texts["development.text"]),
                    .links([Link(text: texts["events.reload"], path: visit.link(Self.path))]),
                    .table(
                        Table(
                            caption: texts["development.mails"],
                            columns: ["to", "kind", "code", "link"].map { texts["development.\($0)"] },
                            rows: mails.map { mail in
                                [
                                    .foreign(mail.info.newEmail ?? mail.info.email), .code(mail.info.type.rawValue),
                                    .code(mail.code), .code(mail.link),
                                ]
                            },
                            emptyText: texts["development.noMails"]
                        )
                    ),
                    .table(
                        Table(
                            caption: texts["development.messages"],
                            columns: ["number", "code"].map { texts["development.\($0)"] },
                            rows: codes.map { [.code($0.phoneNumber), .code($0.code)] },
                            emptyText: texts["development.noMessages"]
                        )
                    ), .toolbar([clear]),
                ]
            )
        )
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        _ = try tools.developerTools
        guard visit.form["do"] == "clear" else { throw ConsoleFailure.noSuchAction }
        let context = try visit.call()
        return try await DangerousAction.asking(visit) {
            try await tools.useCases.emulator.accountReset.reset(context.scope)
            try await tools.useCases.operators.auditTrail.record(.accountsCleared, context: context)
            return .redirect(visit.link(Self.path), done: "deleted")
        }
    }

    /// The navigation between the pages for developers. Only one of them is a tenant's.
    static func links(_ visit: ConsoleVisit) -> Block {
        .links(
            [
                (path, "development.inbox"), (ExchangesScreen.path, "development.requests"),
                (SeedsScreen.path, "development.seeds"), (ClockScreen.path, "development.clock"),
            ].filter { $0.0 == path || visit.signedIn?.tenantID == nil }.map { path, text in
                Link(text: visit.texts[text], path: visit.link(path), isCurrent: path == visit.path)
            }
        )
    }
}

extension ConsoleTools {
    /// What developers have.
    ///
    /// - Throws: ``ConsoleFailure/unknownPage`` in production.
    var developerTools: ConsoleDevelopment {
        get throws {
            guard let development else { throw ConsoleFailure.unknownPage }
            return development
        }
    }
}
