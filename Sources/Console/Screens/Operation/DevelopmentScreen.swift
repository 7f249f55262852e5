import Accounts
import Project
import Settings
import Storage

/// In development: mails, links and codes as they are made, and the end of all accounts.
struct DevelopmentScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/development"
    // Codes and links open accounts.
    var needs: AdminScopes? { .all }

    private static let shown = 100

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        try requireDevelopment()
        let (texts, scope) = (visit.texts, try visit.call().scope)
        let mails = try await tools.useCases.emulator.oobCodeListing.run(scope).suffix(Self.shown).reversed()
        let codes = try await tools.useCases.codes.sms.shown(in: scope).suffix(Self.shown).reversed()
        let clear = Form(
            action: Self.path,
            hidden: visit.tenantFields + [(name: "do", value: "clear")],
            button: texts["development.clear"],
            isDangerous: true
        )
        return .page(
            ConsolePage(
                title: texts["section.development"],
                section: .development,
                blocks: [
                    .paragraph(texts["development.text"]),
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
        try requireDevelopment()
        guard visit.form["do"] == "clear" else { throw ConsoleFailure.noSuchAction }
        let scope = try visit.call().scope
        return try await DangerousAction.asking(visit) {
            try await tools.useCases.emulator.accountReset.run(scope)
            return .redirect(visit.link(Self.path), done: "deleted")
        }
    }

    private func requireDevelopment() throws {
        guard tools.settings.mode.rules.hasDevelopmentTools else { throw ConsoleFailure.unknownPage }
    }
}
