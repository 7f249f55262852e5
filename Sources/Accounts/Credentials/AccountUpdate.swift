package import Project
package import Storage
import Tokens

/// Changes profiles, unlinks providers and ends sessions (`Docs/Contract/client-accounts.md` §9).
package struct AccountUpdate: Sendable {
    private let database: any Database
    private let environment: ServerEnvironment
    private let configurations: ConfigurationStore
    private let mint: SessionMint
    private let credentials: CredentialChange
    private let recentLogin: RecentLoginRule
    private let notices: OOBNotices
    private let mode: ModeRules
    private let events: EventOutbox
    private let throttle: Throttle

    package init(
        database: any Database,
        environment: ServerEnvironment,
        configurations: ConfigurationStore,
        mint: SessionMint,
        credentials: CredentialChange,
        recentLogin: RecentLoginRule,
        notices: OOBNotices,
        mode: ModeRules,
        events: EventOutbox,
        throttle: Throttle
    ) {
        self.throttle = throttle
        self.events = events
        self.credentials = credentials
        self.recentLogin = recentLogin
        self.notices = notices
        self.mode = mode
        self.database = database
        self.environment = environment
        self.configurations = configurations
        self.mint = mint
    }

    /// A changed account, with new tokens where the old ones died.
    package struct Result: Sendable {
        package let view: AccountView
        package let tokens: IssuedTokens?
    }

    /// Applies changes in one step.
    ///
    /// - Parameters:
    ///   - changes: The changes.
    ///   - selection: The account.
    ///   - context: The call.
    /// - Returns: The account as it is now.
    /// - Throws: `APIError` of the selection, then in the contract's order; `StorageError`.
    package func run(_ changes: Changes, of selection: AccountSelection, context: CallContext) async throws -> Result {
        let scope = selection.scope
        let configuration = try await configurations.configuration(of: scope)
        let context = context.inScope(scope)
        if changes.isDisabled != nil, selection.isByToken {
            _ = try await database.read { try selection.account(in: $0) }
            throw APIError(.operationNotAllowed)
        }
        let prepared = try await credentials.prepare(
            email: changes.email,
            password: changes.password,
            of: selection,
            configuration,
            context: context
        )
        let admin = changes.admin.map { AdminChanges.Prepared($0, environment: environment, mode: mode) }
        let time = environment.now()
        let draft = mint.draft()
        let eventID = environment.newEventID()
        let (mint, events, credentials, recentLogin, throttle) = (mint, events, credentials, recentLogin, throttle)
        let changesWays = selection.isSession && (changes.removesWaysIn || prepared.passwordText != nil)
        let reporter = changesWays ? notices.reporter(configuration, context: context) : nil
        let shows = mode.showsWhatWasEmptied
        let removesAddress = !selection.isSession && changes.deletedAttributes.contains(.email)
        let forgetsCodes = removesAddress && !mode.keepsCodesWhenAdministratorsMove
        let subject = try await database.write { transaction -> (view: AccountView, session: SessionRecord?) in
            var account = try selection.account(in: transaction)
            try throttle.count(changeOf: account.localID, context: context, at: time, in: transaction)
            let before = events.isOn || shows ? try transaction.identities(scope, localID: account.localID) : []
            let old = (account, before)
            let ways = try reporter.map { _ in try WaysIn(of: account, scope, in: transaction) }
            let unlinked = changes.unlinkedProviders
            if case .session(let token) = selection, changes.removesWaysIn {
                try recentLogin.checkSensitive(token, account, configuration.policy.mfa, at: time)
            }
            try credentials.apply(
                prepared,
                to: &account,
                of: selection,
                configuration.policy,
                scope: scope,
                at: time,
                in: transaction
            )
            if forgetsCodes { try transaction.deleteOOBCodes(scope, boundTo: account) }
            try admin?.apply(to: &account, scope, at: time, in: transaction)
            changes.apply(to: &account, at: time, changesCredentials: !prepared.isEmpty, isSession: selection.isSession, mode)
            if shows {
                account.showsEnabled = account.showsEnabled || changes.isDisabled != nil
                account.showsNoProviders = account.showsNoProviders || old.0.hasProvider(before)
            }
            let session = try endSessions(changes, selection, &account, in: transaction)
            try transaction.updateAccount(scope, account)
            for credentialID in changes.deletedPasskeys {
                try transaction.deletePasskey(scope, localID: account.localID, credentialID: credentialID)
            }
            if changes.deletedAttributes.contains(.provider) {
                try transaction.deleteAllIdentities(scope, localID: account.localID)
            }
            try transaction.deleteIdentities(scope, localID: account.localID, providerIDs: unlinked)
            try admin?.link(account, scope, at: time, in: transaction)
            if let reporter, let ways {
                let changed = try ways.alterations(to: WaysIn(of: account, scope, in: transaction))
                try reporter.report(changed, of: old.0, scope, at: time, in: transaction)
            }
            let event = unlinked.isEmpty ? "update" : "unlink"
            try transaction.insertAuditEvent(
                scope,
                AuditEvent(
                    eventID: eventID,
                    occurredAt: time,
                    event: event,
                    localID: account.localID,
                    actor: context.actor,
                    address: context.address,
                    detail: context.isPrivileged ? ["fields": .array(changes.fieldNames.map(JSONValue.string))] : nil
                )
            )
            let identities = try transaction.identities(scope, localID: account.localID)
            if events.isOn {
                let noted = AccountEvent.changes(
                    from: old,
                    to: (account, identities),
                    revokesSessions: changes.validSince != nil || !prepared.isEmpty
                )
                try events.note(noted, of: account, scope, eventID: eventID, at: time, in: transaction)
            }
            return (AccountView(scope: scope, account: account, identities: identities), session)
        }
        events.wake()
        let tokens = try subject.session.map { session in
            try mint.tokens(
                IDTokenSubject(
                    scope: scope,
                    account: subject.view.account,
                    identities: subject.view.identities,
                    session: session
                ),
                refreshToken: draft.refreshToken,
                at: time
            )
        }
        credentials.announce(prepared)
        reporter?.announce()
        return Result(view: subject.view, tokens: tokens)

        // Ends every session; the session that asked for the change goes on under new tokens.
        @Sendable func endSessions(
            _ changes: Changes,
            _ selection: AccountSelection,
            _ account: inout AccountRecord,
            in transaction: any Transaction
        ) throws -> SessionRecord? {
            let claims: String?
            if case .session(let token) = selection { claims = try token.sessionClaims(in: transaction) } else { claims = nil }
            switch changes.endedSessions(at: time, changesCredentials: !prepared.isEmpty) {
            case .none: return nil
            case .begunBefore(let limit):
                try transaction.revokeSessions(scope, localID: account.localID, createdBefore: limit, at: time)
                return nil
            case .all:
                try transaction.revokeSessions(scope, localID: account.localID, at: time)
                if mode.forgetsAddressChangesWithSessions { try transaction.forgetAddressChanges(of: account, scope) }
            }
            guard case .session(let token) = selection else { return nil }
            account.lastRefreshAt = time
            // A new password or address required a recent sign-in, so the session counts as new; otherwise it keeps its age.
            var terms = SessionMint.Terms(continuing: token, claims: claims)
            if prepared.passwordText != nil { terms.provider = "password" }
            if !prepared.isEmpty { terms.authTime = nil }
            return try mint.begin(draft, of: account, terms, context: context, at: time, in: transaction)
        }
    }
}
