package import Project
package import Storage
import Tenancy
import Tokens

/// Changes profiles, unlinks providers and ends sessions (`Docs/Contract/client-accounts.md` §9).
package struct AccountUpdate: UsesRuntime {
    let runtime: Runtime
    let recentLogin: RecentLoginRule
    let throttle: Throttle
    let changeLog: ChangeLog
    let mint: SessionMint
    let credentials: CredentialChange
    let notices: OOBNotices

    /// A changed account, with new tokens where the old ones died.
    package struct Result: Sendable {
        package let view: AccountView
        package let tokens: IssuedTokens?
    }

    /// Applies changes in one step.
    ///
    /// - Parameter part: What else happens in the transaction, before the changes.
    package func apply(
        _ changes: Changes,
        of selection: AccountSelection,
        also part: TransactionPart? = nil,
        context: CallContext
    ) async throws -> Result {
        let update = try await prepare(changes, of: selection, context: context)
        let stored = try await database.write { transaction in
            try part?(transaction)
            return try update.perform(in: transaction)
        }
        return try complete(update, stored)
    }

    /// Checks changes, and does all slow or random work of them before the transaction.
    ///
    /// - Throws: `InvalidArgument` for a value out of its bounds; `APIError` of the selection, then in the contract's order.
    func prepare(_ changes: Changes, of selection: AccountSelection, context: CallContext) async throws -> UpdateTransaction {
        try changes.check(mode)
        let configuration = try await configurations.configuration(of: selection.scope)
        let context = context.inScope(selection.scope)
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
        let changesWays = selection.isSession && (changes.removesWaysIn || prepared.passwordText != nil)
        return UpdateTransaction(
            rules: self,
            changes: changes,
            selection: selection,
            policy: configuration.policy,
            credentials: prepared,
            admin: changes.admin.map { AdminChanges.Prepared($0, environment: environment, mode: mode) },
            reporter: changesWays ? notices.reporter(configuration, context: context) : nil,
            draft: mint.draft(),
            stamp: changeLog.stamp(context)
        )
    }

    /// Tells of a committed update, and mints the tokens of its new session.
    func complete(_ update: UpdateTransaction, _ stored: Stored) throws -> Result {
        changeLog.wake()
        let tokens = try stored.session.map { session in
            try mint.tokens(
                IDTokenSubject(
                    scope: stored.view.scope,
                    account: stored.view.account,
                    identities: stored.view.identities,
                    session: session
                ),
                refreshToken: update.draft.refreshToken,
                at: update.stamp.time
            )
        }
        credentials.announce(update.credentials)
        update.reporter?.announce()
        return Result(view: stored.view, tokens: tokens)
    }

    /// A stored account, with the new session of the caller when the old one ended.
    struct Stored: Sendable {
        let view: AccountView
        let session: SessionRecord?
    }

    /// The transaction of an update. It is pure in its inputs, so that it may run twice.
    struct UpdateTransaction: Sendable {
        fileprivate let rules: AccountUpdate
        fileprivate let changes: Changes
        fileprivate var selection: AccountSelection
        fileprivate let policy: SignInPolicy
        fileprivate let credentials: CredentialChange.Prepared
        fileprivate let admin: AdminChanges.Prepared?
        /// Tells the owner of changed ways to sign in; `nil` when none change or the owner is not told.
        fileprivate let reporter: OOBNotices.Reporter?
        fileprivate let draft: SessionMint.Draft
        fileprivate let stamp: ChangeStamp

        /// The update for the account that a one-time code has named in the same transaction.
        func of(_ account: AccountRecord) -> UpdateTransaction {
            var update = self
            update.selection = .localID(account.localID, stamp.scope)
            return update
        }

        func perform(in transaction: Transaction) throws -> Stored {
            let account = try selection.account(in: transaction)
            var edit = try AccountEdit(of: account, stamp, keepsIdentities: showsWhatWasEmptied, in: transaction)
            let isRemoval = try removes(from: account, in: transaction)
            let isBeyond = try count(isRemoval: isRemoval, in: account, transaction)
            let ways = reporter == nil ? nil : try WaysIn(of: account, stamp.scope, in: transaction)
            try checkSignIn(of: account)
            try rules.credentials.apply(credentials, to: &edit, of: selection, policy)
            try forgetCodes(edit)
            try admin?.apply(to: &edit)
            changes.apply(
                to: &edit.account,
                at: stamp.time,
                changesCredentials: !credentials.isEmpty,
                isSession: selection.isSession,
                rules.mode
            )
            showWhatWasEmptied(&edit)
            let session = try endSessions(&edit, forgetting: isBeyond)
            try edit.write()
            try removeWays(edit)
            try admin?.link(edit)
            try report(ways, edit)
            let view = try edit.record(
                as: changes.unlinkedProviders.isEmpty ? .update : .unlink,
                detail: detail,
                revokesSessions: changes.validSince != nil || !credentials.isEmpty
            )
            return Stored(view: view, session: session)
        }

        // Whether the update only takes away what the account has, sessions included, or only replaces the password by a recent sign-in.
        // A first password is an addition: otherwise setting and removing one would be counted by nobody.
        private func removes(from account: AccountRecord, in transaction: Transaction) throws -> Bool {
            if credentials.passwordText != nil { return account.passwordHash != nil && !changes.addBesidePassword }
            guard changes.onlyRemove else { return false }
            if case .now = changes.validSince { return true }
            var left = account
            let mode = rules.mode
            changes.apply(to: &left, at: stamp.time, changesCredentials: false, isSession: selection.isSession, mode)
            if left != account { return true }
            let unlinked = Set(changes.unlinkedProviders)
            let identities = try transaction.identities(stamp.scope, localID: account.localID)
            if identities.contains(where: { changes.deletedAttributes.contains(.provider) || unlinked.contains($0.providerID) }) {
                return true
            }
            let passkeys = Set(changes.deletedPasskeys)
            return try !passkeys.isEmpty
                && transaction.passkeys(stamp.scope, localID: account.localID).contains { passkeys.contains($0.credentialID) }
        }

        // Returns whether the user has removed so much that ended sessions need not be remembered.
        private func count(isRemoval: Bool, in account: AccountRecord, _ transaction: Transaction) throws -> Bool {
            let (throttle, context, localID) = (rules.throttle, stamp.context, account.localID)
            if isRemoval { return try throttle.count(removalFrom: localID, context: context, at: stamp.time, in: transaction) }
            var token: VerifiedIDToken?
            if case .session(let own) = selection { token = own }
            try throttle.count(additionTo: localID, by: token, context: context, at: stamp.time, in: transaction)
            return false
        }

        private var showsWhatWasEmptied: Bool { rules.mode.showsWhatWasEmptied }

        private var detail: JSONValue? {
            var members: JSONObject = [:]
            if stamp.context.isPrivileged { members["fields"] = .array(changes.fieldNames.map(JSONValue.string)) }
            let (providers, passkeys) = (changes.deletedProviders, changes.deletedPasskeys)
            if !providers.isEmpty { members["providers"] = .array(providers.map(JSONValue.string)) }
            if !passkeys.isEmpty { members["passkeys"] = .array(passkeys.map(JSONValue.string)) }
            return members.isEmpty ? nil : .object(members)
        }

        private func checkSignIn(of account: AccountRecord) throws {
            guard case .session(let token) = selection else { return }
            if admin != nil { try RecentLoginRule.checkUser(token) }
            guard changes.removesWaysIn else { return }
            try rules.recentLogin.checkSensitive(token, account, policy.mfa, at: stamp.time)
        }

        private func forgetCodes(_ edit: AccountEdit) throws {
            let (transaction, account) = (edit.transaction, edit.account)
            let givesFactors = changes.admin?.enrollments?.isEmpty == false
            if givesFactors, account.secondFactors.isEmpty, rules.mode.forgetsAddressChanges {
                try transaction.forgetAddressChanges(of: account, edit.scope)
            }
            let removesAddress = !selection.isSession && changes.deletedAttributes.contains(.email)
            guard removesAddress, !rules.mode.keepsCodesWhenAdministratorsMove else { return }
            try transaction.deleteOOBCodes(edit.scope, boundTo: account)
        }

        private func showWhatWasEmptied(_ edit: inout AccountEdit) {
            guard showsWhatWasEmptied else { return }
            edit.account.showsEnabled = edit.account.showsEnabled || changes.isDisabled != nil
            edit.account.showsNoProviders = edit.account.showsNoProviders || edit.old.hasProvider(edit.oldIdentities)
        }

        // Ends the sessions that the changes end; the session that asked for the change goes on under new tokens. Those that are forgotten
        // leave no row: nobody ends sessions without end to fill the store (threat case RES-05).
        private func endSessions(_ edit: inout AccountEdit, forgetting: Bool) throws -> SessionRecord? {
            let (transaction, localID) = (edit.transaction, edit.account.localID)
            switch changes.endedSessions(at: stamp.time, changesCredentials: !credentials.isEmpty) {
            case .none: return nil
            case .begunBefore(let limit):
                try transaction.revokeSessions(stamp.scope, localID: localID, createdBefore: limit, at: stamp.time)
                return nil
            case .all: break
            }
            var caller: (token: VerifiedIDToken, claims: String?)?
            if case .session(let token) = selection { caller = (token, try token.sessionClaims(in: transaction)) }
            if rules.mode.forgetsAddressChanges {
                try transaction.forgetAddressChanges(of: edit.account, stamp.scope)
            }
            if forgetting {
                try transaction.deleteLiveSessions(stamp.scope, localID: localID)
            } else {
                try transaction.revokeSessions(stamp.scope, localID: localID, at: stamp.time)
            }
            return try caller.map { try begin($0.token, claims: $0.claims, &edit) }
        }

        private func begin(_ token: VerifiedIDToken, claims: String?, _ edit: inout AccountEdit) throws -> SessionRecord {
            edit.account.lastRefreshAt = stamp.time
            // A new password or address required a recent sign-in, so the session counts as new; otherwise it keeps its age.
            var terms = SessionMint.Terms(continuing: token, claims: claims)
            if credentials.passwordText != nil { terms.provider = "password" }
            if !credentials.isEmpty { terms.authTime = nil }
            return try rules.mint.begin(
                draft,
                of: edit.account,
                terms,
                context: stamp.context,
                at: stamp.time,
                in: edit.transaction
            )
        }

        private func removeWays(_ edit: AccountEdit) throws {
            let (transaction, localID) = (edit.transaction, edit.account.localID)
            for credentialID in changes.deletedPasskeys {
                try transaction.deletePasskey(stamp.scope, localID: localID, credentialID: credentialID)
            }
            if changes.deletedAttributes.contains(.provider) {
                try transaction.deleteAllIdentities(stamp.scope, localID: localID)
            }
            try transaction.deleteIdentities(stamp.scope, localID: localID, providerIDs: changes.unlinkedProviders)
        }

        private func report(_ ways: WaysIn?, _ edit: AccountEdit) throws {
            guard let reporter, let ways else { return }
            let changed = try ways.alterations(to: WaysIn(of: edit.account, edit.scope, in: edit.transaction))
            try reporter.report(changed, of: edit.old, edit.scope, at: edit.time, in: edit.transaction)
        }
    }
}
