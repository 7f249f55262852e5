import Accounts
import Project
import Storage

/// Credentials of programs: service accounts and named tokens of administrators.
struct ServiceAccountsScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/service-accounts"
    var needs: AdminScopes? { .read }
    var isOfProject: Bool { true }

    private static let scopes: [(word: String, scope: AdminScopes)] = [("read", .read), ("users", .users), ("config", .config)]

    /// A credential that was just made, which is shown once.
    private struct Fresh {
        let notice: String
        let label: String
        let text: String
    }

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer { .page(try await page(visit)) }

    private func page(_ visit: ConsoleVisit, _ fresh: Fresh? = nil) async throws -> ConsolePage {
        let (texts, person) = (visit.texts, try visit.person)
        let context = try person.call(in: nil)
        let programs = tools.useCases.operators.programs
        let (accounts, tokens) = (programs.serviceAccounts(context), programs.tokens(context))
        let mayChange = person.role.scopes.isSuperset(of: .all)
        var blocks: [Block] = []
        if let fresh {
            blocks += [
                .notice(Notice(kind: .success, text: texts[fresh.notice])), .code(label: texts[fresh.label], text: fresh.text),
            ]
        }
        blocks += [
            .paragraph(texts["programs.text"]), .table(table(try await accounts.list(), texts, mayChange)),
            .table(table(try await tokens.list().reversed(), texts, mayChange)),
        ]
        if mayChange {
            if person.isConfirmed {
                blocks.append(.columns([[.form(accountForm(texts))], [.form(tokenForm(texts))]]))
            } else {
                blocks += ConfirmationScreen.first(texts["programs.confirmFirst"], backTo: Self.path, texts)
            }
        }
        return ConsolePage(.serviceAccounts, texts, blocks)
    }

    private func table(_ accounts: [ServiceAccount], _ texts: ConsoleTexts, _ mayChange: Bool) -> Table {
        Table(
            caption: texts["programs.accounts"],
            columns: ["programs.account", "keys.id", "programs.key", "keys.created", "profile.actions"].map { texts[$0] },
            rows: accounts.map { account in
                [
                    .code(account.email), .code(account.keyID),
                    .text(texts["programs.key.\(Self.place(of: account))"]),
                    Timestamp(rfc3339: account.createdAt).map(Cell.time) ?? .none,
                    mayChange ? .forms([form("deleteAccount", texts["users.delete"], account.email)]) : .none,
                ]
            },
            emptyText: texts["programs.noAccounts"]
        )
    }

    private static func place(of account: ServiceAccount) -> String {
        account.isHeld ? "held" : account.serverKeyID == nil ? "file" : "both"
    }

    private func table(_ tokens: [AdminTokenRecord], _ texts: ConsoleTexts, _ mayChange: Bool) -> Table {
        let now = tools.environment.now()
        let columns = [
            "profile.name", "programs.scopes", "users.state", "profile.created", "programs.expires", "profile.lastUsed",
            "profile.actions",
        ]
        return Table(
            caption: texts["programs.tokens"],
            columns: columns.map { texts[$0] },
            rows: tokens.map { token in
                let isLive = token.state(at: now) == .live
                return [
                    .foreign(token.name), .code(token.scopes), state(token.state(at: now), texts), .time(token.createdAt),
                    token.expiresAt.map(Cell.time) ?? .text(texts["programs.never"]), token.lastUsedAt.map(Cell.time) ?? .none,
                    mayChange && isLive ? .forms([form("revoke", texts["keys.revoke"], token.tokenID)]) : .none,
                ]
            },
            emptyText: texts["programs.noTokens"]
        )
    }

    private func state(_ state: AdminTokenRecord.State, _ texts: ConsoleTexts) -> Cell {
        .badge(text: texts["programs.state.\(state.rawValue)"], tone: state == .live ? .positive : .neutral)
    }

    private func form(_ action: String, _ text: String, _ id: String) -> Form {
        button(text, action, [(name: "id", value: id)], isDangerous: true)
    }

    private func accountForm(_ texts: ConsoleTexts) -> Form {
        Form(
            action: Self.path,
            fields: [
                Field(
                    name: "name",
                    label: texts["profile.name"],
                    hint: texts["programs.accountHint"],
                    isRequired: true,
                    maximumLength: 30,
                    isCode: true
                ), Field(name: "held", label: texts["programs.held"], kind: .checkbox, hint: texts["programs.heldHint"]),
            ],
            hidden: [(name: "do", value: "createAccount")],
            button: texts["programs.createAccount"],
            legend: texts["programs.createAccount"]
        )
    }

    private func tokenForm(_ texts: ConsoleTexts) -> Form {
        Form(
            action: Self.path,
            fields: [
                Field(
                    name: "name",
                    label: texts["profile.name"],
                    hint: texts["programs.tokenHint"],
                    isRequired: true,
                    maximumLength: 64,
                    isCode: true
                )
            ]
                + Self.scopes.map { Field(name: $0.word, label: texts["programs.scope.\($0.word)"], kind: .checkbox) }
                + [
                    Field(
                        name: "days",
                        label: texts["programs.days"],
                        kind: .number,
                        value: "90",
                        hint: texts["programs.daysHint"]
                    )
                ],
            hidden: [(name: "do", value: "createToken")],
            button: texts["programs.createToken"],
            legend: texts["programs.createToken"]
        )
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (form, person, programs) = (visit.form, try visit.person, tools.useCases.operators.programs)
        try person.require(.all)
        // They belong to the project, so a tenant's operator changes none.
        let context = try person.call(in: nil)
        do {
            switch form["do"] {
            case "createAccount":
                try person.requireConfirmation()
                let isHeld = form.isChecked("held")
                _ = try programs.serviceAccounts(context).email(of: form["name"])
                let consent = try await consent(visit, [(name: "held", value: isHeld ? "yes" : "")])
                let file = try await programs.createServiceAccount(
                    form["name"],
                    isHeld: isHeld,
                    also: consent.use(in:),
                    context: context
                )
                guard let file else { return .redirect(Self.path, done: "saved") }
                let fresh = Fresh(notice: "programs.madeAccount", label: "programs.keyFile", text: try file.readable())
                return .page(try await page(visit, fresh))
            case "createToken":
                try person.requireConfirmation()
                let scopes = Self.scopes.reduce(into: AdminScopes()) { if form.isChecked($1.word) { $0.formUnion($1.scope) } }
                let days = try Self.days(form["days"])
                try AdminTokenRegistry.check(form["name"], scopes: scopes, days: days)
                let allowed = Self.scopes.map { (name: $0.word, value: form.isChecked($0.word) ? "on" : "") }
                let consent = try await consent(visit, allowed + [(name: "days", value: days.map { "\($0)" } ?? "")])
                let made = try await programs.tokens(context).create(
                    form["name"],
                    scopes: scopes,
                    days: days,
                    also: consent.use(in:)
                )
                let fresh = Fresh(notice: "programs.madeToken", label: "programs.token", text: made.token)
                return .page(try await page(visit, fresh))
            case "deleteAccount":
                return try await DangerousAction.perform(visit) {
                    try await programs.serviceAccounts(context).delete(form["id"])
                    return .redirect(Self.path, done: "deleted")
                }
            case "revoke":
                return try await DangerousAction.perform(visit) {
                    try await programs.tokens(context).revoke(form["id"])
                    return .redirect(Self.path, done: "saved")
                }
            default: throw ConsoleFailure.noSuchAction
            }
        } catch let refusal as ServiceAccountRegistry.RegistryError {
            throw InvalidArgument("\(refusal)")
        } catch let refusal as AdminTokenRegistry.RegistryError {
            throw InvalidArgument("\(refusal)")
        }
    }

    private func consent(
        _ visit: ConsoleVisit,
        _ parts: [(name: String, value: String)]
    ) async throws -> OperatorConsent {
        let named = ["do", "name"].map { (name: $0, value: visit.form[$0]) }
        let subject = OperatorApprovals.Subject(.credentials, in: nil, named + parts)
        return try await tools.console.approvals.consent(to: subject, by: try visit.person)
    }

    private static func days(_ text: String) throws -> Int? {
        if text.isEmpty { return nil }
        guard let days = Int(text) else { throw InvalidArgument("the days must be a number") }
        return days
    }
}
