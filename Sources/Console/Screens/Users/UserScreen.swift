import Accounts
import Project
import Settings
import Storage

/// One user: profile, ways in, factors, sessions, events, and what can be done.
struct UserScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/users/{id}"
    var needs: AdminScopes? { .read }

    /// The address of a user's screen.
    static func path(of localID: String) -> String { "\(UsersScreen.path)/\(PercentEncoding.encode(localID))" }

    private static let shownEvents = 25

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (person, context) = (try visit.person, try visit.call())
        let view = try await tools.useCases.operators.browser.account(visit["id"], in: context.scope)
        let sessions = try await tools.useCases.operators.browser.sessions(of: view.account.localID, in: context.scope)
        let events = try await tools.useCases.operators.auditTrail.events(
            AuditFilter(localID: view.account.localID, limit: Self.shownEvents),
            in: context.scope
        ).events
        let parts = UserParts(visit: visit, view: view, person: person)
        var blocks = parts.profile
        if person.role.scopes.contains(.edit) { blocks += parts.actions }
        if tools.settings.console.allowsImpersonation, person.role.scopes.isSuperset(of: .all) {
            let path = ImpersonationScreen.path(of: view.account.localID)
            blocks.append(.links([Link(text: visit.texts["impersonation.title"], path: visit.link(path))]))
        }
        blocks += parts.identities + ComparisonScreen.links(events, visit) + parts.factors + parts.sessions(sessions)
        if person.role.scopes.contains(.edit) { blocks += parts.editors }
        blocks += [.heading(visit.texts["user.events"]), .table(EventTable.table(events, visit))]
        let title = view.account.email ?? view.account.displayName ?? view.account.localID
        return .page(ConsolePage(title: title, section: .users, blocks: blocks))
    }

    private enum Action: String {
        case delete, disable, enable, unlock, mail, profile, claims, unlink, removePasskey, removeFactors, endSession, endSessions
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (person, context, form) = (try visit.person, try visit.call(), visit.form)
        try person.require(form["do"] == "delete" ? .delete : .edit)
        let view = try await tools.useCases.operators.browser.account(visit["id"], in: context.scope)
        let back = visit.link(Self.path(of: view.account.localID))
        try context.requireReach(of: view.account)
        let actions = UserActions(useCases: tools.useCases, view: view, context: context)
        func remove(_ what: UserActions.Removal) async throws -> ConsoleAnswer {
            try await actions.remove(what)
            return .redirect(back, done: "saved")
        }
        switch try form.action(Action.self) {
        case .delete:
            return try await DangerousAction.perform(visit) {
                try await actions.delete()
                return .redirect(visit.link(UsersScreen.path), done: "deleted")
            }
        case .endSessions: return try await DangerousAction.asking(visit) { try await remove(.sessions) }
        case .unlink: return try await DangerousAction.perform(visit) { try await remove(.provider(form["id"])) }
        case .removePasskey: return try await DangerousAction.perform(visit) { try await remove(.passkey(form["id"])) }
        case .removeFactors: return try await DangerousAction.perform(visit) { try await remove(.secondFactors) }
        case .disable: try await actions.setDisabled(true)
        case .enable: try await actions.setDisabled(false)
        case .unlock: try await actions.unlock()
        case .endSession: try await actions.endSession(form["id"])
        case .mail:
            try await actions.sendMail(form["kind"])
            return .redirect(back, done: "sent")
        case .profile: try await actions.edit(form, by: person)
        case .claims:
            // Claims are rights in the project's apps.
            try person.requireConfirmation()
            guard let claims = form.sent("claims") else { throw ConsoleFailure.noSuchAction }
            try await actions.setClaims(claims)
        }
        return .redirect(back, done: "saved")
    }
}
