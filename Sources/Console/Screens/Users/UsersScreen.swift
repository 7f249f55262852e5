import Accounts
import Project
import Storage

/// Finds users, page by page.
struct UsersScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/users"
    var needs: AdminScopes? { .read }

    private static let pageSize = 50
    private static let pageField = "page"

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (texts, person) = (visit.texts, try visit.person)
        let context = try visit.call()
        let search = try UserSearch(visit.query, role: person.role, visit.texts)
        if search.asksWholeNumber { try await tools.console.limits.numberSearch(by: person) }
        let page = try await tools.useCases.operators.finder.page(
            search.query,
            size: Self.pageSize,
            token: visit.query[Self.pageField],
            in: context.scope
        )
        let next = page.nextToken.map { token in
            Link(
                text: texts["table.next"],
                path: visit.link(Self.path, search.pairs + [(name: Self.pageField, value: token)])
            )
        }
        var blocks: [Block] = [.form(search.form(visit)), .table(table(page.accounts, next, visit, person))]
        if next != nil || page.examined > Self.pageSize {
            blocks.append(.paragraph(texts.text("users.examined", ["count": Cell.grouped(page.examined)])))
        }
        if person.role.scopes.contains(.edit) {
            let create = Link(text: texts["users.create"], path: visit.link(NewUserScreen.path))
            let all = Link(text: texts["bulk.link"], path: visit.link(BulkChangeScreen.path, search.pairs))
            blocks.insert(.links([create, all]), at: 0)
        }
        return .page(ConsolePage(.users, texts, blocks))
    }

    private func table(
        _ accounts: [AccountView],
        _ next: Link?,
        _ visit: ConsoleVisit,
        _ person: ConsoleOperator
    ) -> Table {
        let texts = visit.texts
        var table = Table(
            caption: texts["users.found"],
            columns: ["email", "name", "phone", "providers", "state", "created", "lastSeen"].map { texts["users.\($0)"] },
            rows: accounts.map { row($0, visit, person) },
            emptyText: texts["users.none"],
            next: next
        )
        if person.role.scopes.contains(.edit), !accounts.isEmpty {
            table.selection = Table.Selection(
                action: Self.path,
                name: "user",
                values: accounts.map(\.account.localID),
                labels: accounts.map { $0.account.email ?? $0.account.localID },
                buttons: [
                    Button(text: texts["users.disable"], name: "do", value: "disable"),
                    Button(text: texts["users.enable"], name: "do", value: "enable"),
                ]
                    + (person.role.scopes.contains(.delete)
                        ? [Button(text: texts["users.delete"], name: "do", value: "delete", isDangerous: true)] : []),
                hidden: visit.tenantFields
            )
        }
        return table
    }

    private func row(_ view: AccountView, _ visit: ConsoleVisit, _ person: ConsoleOperator) -> [Cell] {
        let (account, texts) = (view.account, visit.texts)
        let path = visit.link(UserScreen.path(of: account.localID))
        return [
            .link(text: account.email ?? account.localID, path: path), account.displayName.map(Cell.foreign) ?? .none,
            account.phoneNumber.map { .code(MaskedNumber.text($0, for: person.role)) } ?? .none,
            .foreign(UserFacts.providers(of: view).joined(separator: ", ")), UserFacts.state(account, texts),
            .time(account.createdAt), UserFacts.lastSeen(account),
        ]
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (context, person) = (try visit.call(), try visit.person)
        try person.require(visit.form["do"] == "delete" ? .delete : .edit)
        let users = visit.form.values("user").prefix(Self.pageSize)
        let back = visit.link(Self.path)
        guard !users.isEmpty else { return .redirect(back) }
        // One user who is beyond the operator's reach stops the form before it changes others.
        let views = try await tools.useCases.accounts.reader.accounts(
            users.map { .localID($0) },
            context: context
        )
        for view in views { try context.requireReach(of: view.account) }
        switch visit.form["do"] {
        case "delete":
            guard users.count > 1 else {
                return try await DangerousAction.perform(visit) {
                    try await deleteAll(Array(users), context)
                    return .redirect(back, done: "deleted")
                }
            }
            let parts = [(name: "users", value: users.sorted().joined(separator: ", "))]
            let subject = OperatorApprovals.Subject(.deletion, in: visit.tenantID, parts)
            return try await DangerousAction.perform(visit, tools.console.approvals, subject) { consent in
                try await deleteAll(Array(users), context, consent)
                return .redirect(back, done: "deleted")
            }
        case let action where action == "disable" || action == "enable":
            var changes = AccountUpdate.Changes()
            changes.isDisabled = action == "disable"
            try await Deadline.ofEachTransaction {
                for user in users {
                    _ = try await tools.useCases.accounts.update.apply(
                        changes,
                        of: .localID(user, context.scope),
                        context: context
                    )
                }
            }
            return .redirect(back, done: "saved")
        default: throw ConsoleFailure.noSuchAction
        }
    }

    private func deleteAll(_ users: [String], _ context: CallContext, _ consent: OperatorConsent? = nil) async throws {
        // The first deletion uses the consent up.
        var unused = consent
        try await Deadline.ofEachTransaction {
            for user in users {
                let part = unused.map { $0.use(in:) }
                try await tools.useCases.accounts.deletion.delete(.localID(user, context.scope), also: part, context: context)
                unused = nil
            }
        }
    }
}

/// What tables and pages say of a user.
enum UserFacts {
    static func providers(of view: AccountView) -> [String] {
        var names = view.identities.map(\.providerID)
        if view.account.passwordHash != nil { names.append("password") }
        if view.account.phoneNumber != nil { names.append("phone") }
        if !view.passkeys.isEmpty { names.append("passkey") }
        return names
    }

    static func state(_ account: AccountRecord, _ texts: ConsoleTexts) -> Cell {
        account.isDisabled
            ? .badge(text: texts["users.disabled"], tone: .negative) : .badge(text: texts["users.enabled"], tone: .positive)
    }

    static func lastSeen(_ account: AccountRecord) -> Cell {
        [account.lastLoginAt, account.lastRefreshAt].compactMap(\.self).max().map(Cell.time) ?? .none
    }
}
