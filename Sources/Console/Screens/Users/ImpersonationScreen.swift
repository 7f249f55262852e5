import Accounts
import Project
import Settings

/// Signs in as a user: a custom token with the operator in its claim `act`, shown once.
struct ImpersonationScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/users/{id}/impersonate"
    var needs: AdminScopes? { .all }

    static func path(of localID: String) -> String { UserScreen.path(of: localID) + "/impersonate" }

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        try requireAllowed()
        let texts = visit.texts
        _ = try visit.call()
        let form = Form(
            action: Self.path(of: visit["id"]),
            fields: [
                Field(
                    name: "reason",
                    label: texts["impersonation.reason"],
                    hint: texts["impersonation.reasonHint"],
                    isRequired: true,
                    maximumLength: Impersonation.maximumReason
                )
            ],
            hidden: visit.tenantFields,
            button: texts["impersonation.make"],
            isDangerous: true
        )
        return page(visit, [.paragraph(texts["impersonation.text"]), .form(form)])
    }

    private func page(_ visit: ConsoleVisit, _ blocks: [Block]) -> ConsoleAnswer {
        let facts = Block.facts([Fact(label: visit.texts["user.id"], value: .code(visit["id"]))])
        let back = Link(text: visit.texts["impersonation.user"], path: visit.link(UserScreen.path(of: visit["id"])))
        return .page(
            ConsolePage(
                title: visit.texts["impersonation.title"],
                section: .users,
                blocks: [.links([back]), facts] + blocks
            )
        )
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        try requireAllowed()
        let (texts, context) = (visit.texts, try visit.call())
        return try await DangerousAction.perform(visit) {
            do {
                let token = try await tools.useCases.operators.impersonation.impersonate(
                    visit["id"],
                    reason: visit.form["reason"],
                    context: context
                )
                return page(
                    visit,
                    [
                        .notice(Notice(kind: .warning, text: texts["impersonation.made"])),
                        .code(label: texts["impersonation.token"], text: token.text),
                        .facts([Fact(label: texts["operators.until"], value: .time(token.expiresAt))]),
                        .paragraph(texts["impersonation.use"]),
                    ]
                )
            } catch let refusal as Impersonation.ImpersonationError {
                throw InvalidArgument(texts["impersonation.\(refusal)"])
            }
        }
    }

    private func requireAllowed() throws {
        guard tools.settings.console.allowsImpersonation else { throw ConsoleFailure.unknownPage }
    }
}
