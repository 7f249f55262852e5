import Accounts
import Project
import Storage

/// Changes every user that a search finds: a dry run counts them, then the change goes on step by step.
struct BulkChangeScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/users/bulk"
    var needs: AdminScopes? { .edit }

    private static let progressField = "progress"

    private var change: BulkUserChange { tools.useCases.operators.bulkChange }

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        _ = try visit.call()
        let (texts, search) = (visit.texts, try UserSearch(visit.query, role: try visit.person.role, visit.texts))
        let scopes = try visit.person.role.scopes
        let actions = BulkUserChange.Action.allCases.filter { scopes.isSuperset(of: $0.needs) }.map {
            Field.Option(text: texts["users.\($0.rawValue)"], value: $0.rawValue)
        }
        let form = Form(
            action: Self.path,
            fields: [Field(name: "action", label: texts["bulk.action"], kind: .select(actions))],
            hidden: visit.tenantFields + search.pairs,
            button: texts["bulk.dryRun"]
        )
        let conditions =
            search.pairs.isEmpty
            ? [Block.notice(Notice(kind: .warning, text: texts["bulk.everybody"]))]
            : [.facts(search.pairs.map { Fact(label: texts["users.search.\($0.name)"], value: .foreign($0.value)) })]
        return page(visit, [.paragraph(texts["bulk.text"])] + conditions + [.form(form)])
    }

    private func page(_ visit: ConsoleVisit, _ blocks: [Block]) -> ConsoleAnswer {
        .page(ConsolePage(title: visit.texts["bulk.title"], section: .users, blocks: blocks))
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (person, context) = (try visit.person, try visit.call())
        try person.require(.edit)
        let search = try UserSearch(visit.form, role: person.role, visit.texts)
        guard let token = visit.form.value(Self.progressField) else {
            if search.asksWholeNumber { try await tools.console.limits.numberSearch(by: person) }
            guard let action = BulkUserChange.Action(rawValue: visit.form["action"]) else { throw ConsoleFailure.noSuchAction }
            try person.require(action.needs)
            return try await step(change.dryRun(of: action), search, visit, context)
        }
        let progress = try change.progress(of: token, search.query, context: context)
        try person.require(progress.action.needs)
        guard progress.isDone, progress.isDryRun else { return try await step(progress, search, visit, context) }
        guard progress.action == .delete else {
            return try await DangerousAction.perform(visit) {
                try await step(change.begin(after: progress), search, visit, context)
            }
        }
        // Consent is for as many users as match now.
        let parts = search.pairs + [(name: "count", value: "\(progress.matching)")]
        let subject = OperatorApprovals.Subject(.deletion, in: visit.tenantID, parts)
        return try await DangerousAction.perform(visit, tools.console.approvals, subject) { consent in
            try await step(change.begin(after: progress), search, visit, context, consent)
        }
    }

    private func step(
        _ progress: BulkUserChange.Progress,
        _ search: UserSearch,
        _ visit: ConsoleVisit,
        _ context: CallContext,
        _ consent: OperatorConsent? = nil
    ) async throws -> ConsoleAnswer {
        var unused = consent
        let (useCases, texts) = (tools.useCases, visit.texts)
        let next = try await change.step(progress, search.query, context: context) { action, user, counting in
            let selection = AccountSelection.localID(user, context.scope)
            switch action {
            case .delete:
                let consent = unused
                let part: TransactionPart = { transaction in
                    try consent?.use(in: transaction)
                    try counting(transaction)
                }
                try await useCases.accounts.deletion.delete(selection, also: part, context: context)
                unused = nil
            case .disable, .enable:
                var changes = AccountUpdate.Changes()
                changes.isDisabled = action == .disable
                _ = try await useCases.accounts.update.apply(changes, of: selection, also: counting, context: context)
            }
        }
        // A run that finds nobody at first goes on without consent, so it has used it.
        try await unused?.use()
        var blocks: [Block] = [.facts(facts(next, texts))]
        let back = Link(text: texts["section.users"], path: visit.link(UsersScreen.path, search.pairs))
        if next.isDone, !next.isDryRun {
            blocks.insert(.notice(Notice(kind: .success, text: texts["bulk.done"])), at: 0)
        } else if !next.isDone || next.matching > 0 {
            let token = try change.token(next, search.query, context: context)
            blocks.append(.form(form(next, token, search, visit)))
        }
        return page(visit, blocks + [.links([back])])
    }

    private func facts(_ progress: BulkUserChange.Progress, _ texts: ConsoleTexts) -> [Fact] {
        var facts = [
            Fact(label: texts["bulk.action"], value: .text(texts["users.\(progress.action.rawValue)"])),
            Fact(label: texts["bulk.examined"], value: .number(progress.examined)),
        ]
        if progress.isDryRun {
            facts.append(Fact(label: texts["bulk.matching"], value: .number(progress.matching)))
        } else {
            facts += [
                Fact(label: texts["bulk.changed"], value: .number(progress.changed)),
                Fact(label: texts["bulk.expected"], value: .number(progress.expected)),
                Fact(label: texts["bulk.failed"], value: .number(progress.failed)),
            ]
        }
        return facts
    }

    private func form(
        _ progress: BulkUserChange.Progress,
        _ token: String,
        _ search: UserSearch,
        _ visit: ConsoleVisit
    ) -> Form {
        let texts = visit.texts
        let hidden = visit.tenantFields + search.pairs + [(name: Self.progressField, value: token)]
        if !progress.isDone {
            return Form(action: Self.path, hidden: hidden, button: texts["bulk.continue"], goesOn: texts["bulk.stop"])
        }
        let count = Cell.grouped(progress.matching)
        return Form(
            action: Self.path,
            hidden: hidden,
            button: texts.text("bulk.\(progress.action.rawValue)", ["count": count]),
            isDangerous: true
        )
    }
}

extension BulkUserChange.Action {
    /// The scopes that the action needs.
    fileprivate var needs: AdminScopes { self == .delete ? .delete : .edit }
}
