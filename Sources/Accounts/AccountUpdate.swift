package import Project
package import Storage
import Tokens

/// Changes profiles, unlinks providers and ends sessions (`contract/client-accounts.md` §9).
package struct AccountUpdate: Sendable {
    private let database: any Database
    private let environment: ServerEnvironment
    private let configurations: ConfigurationStore
    private let mint: SessionMint
    private let credentials: CredentialChange
    private let mode: ServerMode
    private let events: EventOutbox

    package init(
        database: any Database,
        environment: ServerEnvironment,
        configurations: ConfigurationStore,
        mint: SessionMint,
        credentials: CredentialChange,
        mode: ServerMode,
        events: EventOutbox
    ) {
        self.events = events
        self.credentials = credentials
        self.mode = mode
        self.database = database
        self.environment = environment
        self.configurations = configurations
        self.mint = mint
    }

    /// An attribute that can be deleted.
    package enum Attribute: Sendable, Hashable {
        case email
        case displayName
        case provider
        case photoURL
        case password
    }

    /// What is to change; `nil` leaves a field as it is.
    package struct Changes: Sendable {
        /// Empty clears.
        package var displayName: String?
        /// Empty clears.
        package var photoURL: String?
        /// The new address, as sent.
        package var email: String?
        /// The new password, as sent.
        package var password: String?
        package var deletedAttributes: [Attribute] = []
        package var deletedProviders: [String] = []
        /// Passkeys to remove, by credential id.
        package var deletedPasskeys: [String] = []
        /// Ends every session that began before this second.
        package var validSince: ValidSince?
        /// Administrators only; refused beside an ID token.
        package var isDisabled: Bool?
        /// Administrators only: a JSON object's text, already validated.
        package var customAttributes: String?
        /// Administrators only: what else they may change.
        package var admin: AdminChanges?

        package init() {}

        /// What of them counts beside a code; `nil` when it is nothing.
        package var providersOnly: Changes? {
            guard !deletedProviders.isEmpty || admin?.link != nil else { return nil }
            var changes = Changes()
            changes.deletedProviders = deletedProviders
            changes.admin = admin?.linkOnly
            return changes
        }
    }

    /// What ``Changes/validSince`` becomes.
    package enum ValidSince: Sendable {
        case now
        case seconds(Int64)
    }

    /// A changed account, with new tokens where the old ones died.
    package struct Result: Sendable {
        package let view: AccountView
        package let tokens: IssuedTokens?
    }

    /// Applies changes in one step.
    ///
    /// - Parameters:
    ///   - changes: What is to change.
    ///   - selection: Whose account.
    ///   - context: The call.
    /// - Returns: The account as it is now.
    /// - Throws: `APIError` as the selection has it, and in the contract's order; `StorageError`.
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
        let (mint, events, shows) = (mint, events, mode.showsWhatWasEmptied)
        let subject = try await database.write { transaction -> (view: AccountView, session: SessionRecord?) in
            var account = try selection.account(in: transaction)
            let before = events.isOn || shows ? try transaction.identities(scope, localID: account.localID) : []
            let old = (account, before)
            let unlinked = changes.unlinkedProviders
            try CredentialChange.apply(
                prepared,
                to: &account,
                isAnonymous: selection.isAnonymous,
                scope: scope,
                at: time,
                in: transaction
            )
            try admin?.apply(to: &account, scope, at: time, in: transaction)
            changes.apply(to: &account, at: time, changesCredentials: !prepared.isEmpty)
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
        return Result(view: subject.view, tokens: tokens)

        // Every session dies, exactly; the one that asked for it goes on as a new one.
        @Sendable func endSessions(
            _ changes: Changes,
            _ selection: AccountSelection,
            _ account: inout AccountRecord,
            in transaction: any Transaction
        ) throws -> SessionRecord? {
            let claims: String?
            if case .session(let token) = selection { claims = try token.sessionClaims(in: transaction) } else { claims = nil }
            switch changes.validSince {
            case nil where prepared.isEmpty: return nil
            // A moment in the past spares what began after it; `validSince` itself ends the rest.
            case .seconds(let seconds) where seconds < time.seconds: return nil
            default: try transaction.revokeSessions(scope, localID: account.localID, at: time)
            }
            guard case .session(let token) = selection else { return nil }
            account.lastRefreshAt = time
            // A recent sign-in stands behind a new password or address; otherwise it stays as old as it is.
            return try mint.begin(
                draft,
                localID: account.localID,
                provider: prepared.passwordText == nil ? token.signInProvider : "password",
                attributes: token.signInAttributes,
                claims: claims,
                authTime: prepared.isEmpty ? token.authTime : time.seconds,
                secondFactor: token.secondFactor,
                context: context,
                at: time,
                in: transaction
            )
        }
    }
}

extension AccountUpdate.Changes {
    /// The identity providers to unlink; `password` and `phone` are fields of the account, not identities.
    fileprivate var unlinkedProviders: [String] { deletedProviders.filter { $0 != "password" && $0 != "phone" } }

    fileprivate func apply(to account: inout AccountRecord, at time: Timestamp, changesCredentials: Bool) {
        if let displayName { account.displayName = displayName.isEmpty ? nil : displayName }
        if let photoURL { account.photoURL = photoURL.isEmpty ? nil : photoURL }
        for attribute in deletedAttributes {
            switch attribute {
            case .email: clearEmail(&account)
            case .displayName: account.displayName = nil
            case .photoURL: account.photoURL = nil
            case .password: clearPassword(&account)
            case .provider: break
            }
        }
        if deletedProviders.contains("password") {
            clearEmail(&account)
            clearPassword(&account)
        }
        if deletedProviders.contains("phone") { account.phoneNumber = nil }
        if let isDisabled { account.isDisabled = isDisabled }
        if let customAttributes { account.customAttributes = customAttributes }
        switch validSince {
        case .now: account.validSince = time.seconds
        case .seconds(let seconds): account.validSince = seconds
        case nil: if changesCredentials { account.validSince = time.seconds }
        }
    }

    private func clearEmail(_ account: inout AccountRecord) {
        account.email = nil
        account.emailVerified = nil
        account.hasEmailLinkSignIn = false
    }

    private func clearPassword(_ account: inout AccountRecord) {
        account.passwordHash = nil
        account.passwordUpdatedAt = nil
    }
}

extension VerifiedIDToken {
    /// The claims of the token's session alone, as a JSON object's text, for a session that takes its place.
    ///
    /// They are the stored session's. The token's own claims do not do: it does not tell them from the account's, and those may have been
    /// taken away since. A token that fits several sessions has the claims of the one with the most.
    ///
    /// - Throws: `StorageError`.
    func sessionClaims(in transaction: any Transaction) throws -> String? {
        let sessions = try transaction.liveSessions(scope, localID: localID)
        let candidates = sessions.filter { $0.authTime == authTime && $0.signInProvider == signInProvider }
            .compactMap { session in session.claims.flatMap { try? JSONValue.parse($0.utf8).object } }
        return candidates.filter(bears).max { $0.count < $1.count }.map { JSONValue.object($0).text }
    }
}
