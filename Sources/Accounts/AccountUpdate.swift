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

    /// An attribute that can be deleted.
    package enum Attribute: Sendable, Hashable {
        case email
        case displayName
        case provider
        case photoURL
        case password
    }

    /// The changes to an account; `nil` leaves a field unchanged.
    package struct Changes: Sendable {
        /// The new value; empty clears it.
        package var displayName: String?
        /// The new value; empty clears it.
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
        /// Administrators only: their further changes.
        package var admin: AdminChanges?

        package init() {}

        /// The part of the changes that applies beside a code; `nil` when there is none.
        package var providersOnly: Changes? {
            guard !deletedProviders.isEmpty || admin?.link != nil else { return nil }
            var changes = Changes()
            changes.deletedProviders = deletedProviders
            changes.admin = admin?.linkOnly
            return changes
        }
    }

    /// The new value of ``Changes/validSince``.
    package enum ValidSince: Sendable {
        case now
        case seconds(Int64)
    }

    /// A changed account, with new tokens when the change ended the old session.
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
            return try mint.begin(
                draft,
                of: account,
                provider: prepared.passwordText == nil ? token.signInProvider : "password",
                attributes: token.signInAttributes,
                claims: claims,
                authTime: prepared.isEmpty ? token.authTime : nil,
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

    /// Whether the changes remove something that the user signs in with.
    fileprivate var removesWaysIn: Bool {
        !deletedProviders.isEmpty || !deletedPasskeys.isEmpty
            || deletedAttributes.contains { [.email, .password, .provider].contains($0) }
    }

    fileprivate func apply(
        to account: inout AccountRecord,
        at time: Timestamp,
        changesCredentials: Bool,
        isSession: Bool,
        _ mode: ModeRules
    ) {
        if let displayName { account.displayName = displayName.isEmpty ? nil : displayName }
        if let photoURL { account.photoURL = photoURL.isEmpty ? nil : photoURL }
        for attribute in deletedAttributes {
            switch attribute {
            case .email: clearEmail(&account, staysProven: isSession && mode.keepsAddressProofs, at: time)
            case .displayName: account.displayName = nil
            case .photoURL: account.photoURL = nil
            case .password: account.losePassword()
            case .provider: break
            }
        }
        if deletedProviders.contains("password") {
            // The emulator removes the address with the password; Firebase keeps it (`contract/rulings.md` 27).
            if !mode.keepsAddressWithoutPassword { clearEmail(&account, staysProven: false, at: time) }
            account.hasEmailLinkSignIn = false
            account.losePassword()
        }
        if deletedProviders.contains("phone") { account.phoneNumber = nil }
        if let isDisabled { account.isDisabled = isDisabled }
        if let customAttributes { account.customAttributes = customAttributes }
        switch validSince {
        case .now: account.endTokens(at: time)
        case .seconds(let seconds): account.validSince = seconds
        case nil: break
        }
        // If both set a time, the later one counts (threat case SES-13).
        if changesCredentials { account.endTokens(at: time) }
    }

    /// The sessions that a change ends.
    fileprivate enum EndedSessions {
        case none
        /// Those that began before this time.
        case begunBefore(Timestamp)
        case all
    }

    fileprivate func endedSessions(at time: Timestamp, changesCredentials: Bool) -> EndedSessions {
        if changesCredentials || isDisabled == true { return .all }
        switch validSince {
        case nil: return .none
        case .now: return .all
        case .seconds(let seconds):
            // A time in the past ends every session of its own second too, because the order within a second is unknown. A time
            // near now ends all sessions, because the Admin SDKs send their own host's time.
            let limit = Timestamp(seconds: seconds).advanced(by: .seconds(1))
            return limit.advanced(by: ClockSkew.betweenNodes) > time ? .all : .begunBefore(limit)
        }
    }

    // The time of the proof stays when the user removes the address, so that a session alone cannot set another one
    // (`contract/rulings.md` 36).
    private func clearEmail(_ account: inout AccountRecord, staysProven: Bool, at time: Timestamp) {
        account.emailProvenAt = staysProven && account.hadProvenAddress ? account.emailProvenAt ?? time : nil
        account.email = nil
        account.emailVerified = nil
        account.hasEmailLinkSignIn = false
    }
}
