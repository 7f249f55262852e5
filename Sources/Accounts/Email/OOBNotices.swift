import Messaging
package import Project
import Storage

/// A code that an account's owner gets unasked, to take a change back, with the message that carries it.
struct OOBNotice: Sendable {
    let code: OOBCodeRecord
    /// `nil` where no mail can be sent; the code is kept, which development shows.
    let message: OutboxRecord?
    /// Counts it; `nil` where the change is a proof of ownership, which no number of notices holds up.
    fileprivate let count: (@Sendable (any Transaction) throws -> Void)?

    /// Writes the code and its message, in the transaction of the change.
    ///
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER` when its recipient got too many, which undoes the change; `StorageError`.
    func insert(_ scope: Scope, in transaction: any Transaction) throws {
        try count?(transaction)
        try transaction.insertOOBCode(scope, code)
        if let message { try transaction.insertOutboxMessage(message) }
    }
}

/// Tells owners by e-mail how their accounts changed, each time with a code that takes the change back.
package struct OOBNotices: Sendable {
    private let codes: OOBCodeMint
    private let links: OOBLink
    private let mailer: OOBMailer
    private let mode: ServerMode
    private let throttle: Throttle

    package init(codes: OOBCodeMint, links: OOBLink, mailer: OOBMailer, mode: ServerMode, throttle: Throttle) {
        self.mode = mode
        self.throttle = throttle
        self.codes = codes
        self.links = links
        self.mailer = mailer
    }

    /// Prepares the notice that a second factor was added (`contract/phone-and-mfa.md` §7.2).
    ///
    /// - Parameters:
    ///   - account: Whose.
    ///   - enrollmentID: The factor's.
    ///   - configuration: The scope's.
    ///   - context: The call, in the scope of the account.
    /// - Returns: The notice; `nil` for an account without an address.
    /// - Throws: When sealing fails.
    func secondFactorAdded(
        to account: AccountRecord,
        enrollmentID: String,
        _ configuration: ScopeConfiguration,
        context: CallContext
    ) throws -> OOBNotice? {
        guard let email = account.email else { return nil }
        var draft = codes.draft(.revertSecondFactorAddition, email: email)
        draft.record.enrollmentID = enrollmentID
        return try notice(draft, account, configuration, context)
    }

    /// Prepares the notice that an account leaves its proven address, whose owner may take it back (`contract/rulings.md` 36).
    ///
    /// - Parameters:
    ///   - account: Whose, as it was.
    ///   - email: The new address.
    ///   - configuration: The scope's.
    ///   - time: When it leaves it; now unless said.
    ///   - isProof: Whether a mailbox proves whose account it is, so that the notice is not counted.
    ///   - context: The call, in the scope of the account.
    /// - Returns: The notice; `nil` for an address that was never proven, which leaves no code behind.
    /// - Throws: When sealing fails.
    func addressLeft(
        by account: AccountRecord,
        for email: String,
        _ configuration: ScopeConfiguration,
        at time: Timestamp? = nil,
        isProof: Bool = false,
        context: CallContext
    ) throws -> OOBNotice? {
        guard account.hasProvenAddress, let old = account.email else { return nil }
        var draft = codes.draft(.recoverEmail, email: old, createdAt: time)
        draft.record.newEmail = email
        return try notice(draft, account, isProof: isProof, configuration, context)
    }

    /// Prepares the notice that the address changes, for the first address that the account had: development's, which asks for no proof
    /// (`contract/client-accounts.md` §9.2, rule 7).
    ///
    /// - Parameters:
    ///   - account: Whose, as it was.
    ///   - email: The new address.
    ///   - configuration: The scope's.
    ///   - context: The call, in the scope of the account.
    /// - Returns: The notice; `nil` for an account without an address.
    /// - Throws: When sealing fails.
    func addressChanged(
        of account: AccountRecord,
        to email: String,
        _ configuration: ScopeConfiguration,
        context: CallContext
    ) throws -> OOBNotice? {
        guard let old = account.initialEmail ?? account.email else { return nil }
        var draft = codes.draft(.recoverEmail, email: old)
        draft.record.newEmail = email
        return try notice(draft, account, configuration, context)
    }

    /// Says that a notice was committed.
    func announce(_ notice: OOBNotice?) { if notice?.message != nil { mailer.wake() } }

    /// What tells the owners of accounts about changed ways in.
    ///
    /// - Parameters:
    ///   - configuration: The scope's.
    ///   - context: The call, in the scope of the account.
    ///   - isProof: Whether the change is a proof of ownership, which no number of notices holds up, and not one of a session.
    /// - Returns: The reporter; `nil` in development, for the emulator tells nobody.
    func reporter(_ configuration: ScopeConfiguration, context: CallContext, isProof: Bool = false) -> Reporter? {
        mode == .production ? Reporter(notices: self, configuration: configuration, context: context, isProof: isProof) : nil
    }

    /// Tells the owner of an account how its ways in changed.
    struct Reporter: Sendable {
        fileprivate let notices: OOBNotices
        fileprivate let configuration: ScopeConfiguration
        fileprivate let context: CallContext
        private let isProof: Bool
        // Most sign-ins change nothing, and must not make the outbox look for mail.
        private let hasReported = LockedState(false)

        fileprivate init(notices: OOBNotices, configuration: ScopeConfiguration, context: CallContext, isProof: Bool) {
            self.isProof = isProof
            self.notices = notices
            self.configuration = configuration
            self.context = context
        }

        /// Writes a notice to the proven address that an account had before a change, in the transaction of the change.
        ///
        /// Its code takes back what was added, and is as old as the change: what comes with it counts as new.
        ///
        /// - Parameters:
        ///   - changes: What changed; nothing is written for none.
        ///   - account: The account as it was.
        ///   - scope: Its scope.
        ///   - time: When.
        ///   - transaction: Where to write.
        /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER` when its recipient got too many, which undoes the change; `StorageError`,
        ///   and when sealing fails.
        func report(
            _ changes: [AccountAlteration],
            of account: AccountRecord,
            _ scope: Scope,
            at time: Timestamp,
            in transaction: any Transaction
        ) throws {
            guard !changes.isEmpty, account.hasProvenAddress, let email = account.email else { return }
            let draft = notices.codes.draft(.recoverEmail, email: email, createdAt: time)
            let context = context.inScope(scope)
            let notice = try notices.notice(draft, account, changes: changes, isProof: isProof, configuration, context)
            try notice.insert(scope, in: transaction)
            hasReported.withLock { $0 = true }
        }

        /// Says that a change was committed.
        func announce() { if hasReported.withLock({ $0 }) { notices.mailer.wake() } }
    }

    private func notice(
        _ draft: OOBCodeMint.Draft,
        _ account: AccountRecord,
        changes: [AccountAlteration] = [],
        isProof: Bool = false,
        _ configuration: ScopeConfiguration,
        _ context: CallContext
    ) throws -> OOBNotice {
        var draft = draft
        draft.record.localID = account.localID
        let link = links.link(draft, configuration, context: context)
        try codes.keep(link.text, in: &draft, scope: context.scope)
        let message = try? mailer.message(
            draft.record,
            link: link,
            account: account,
            changes: changes,
            configuration: configuration.document,
            scope: context.scope
        )
        let record = draft.record
        let count: @Sendable (any Transaction) throws -> Void = { [throttle] transaction in
            try throttle.count(noticeTo: record.email, context: context, at: record.createdAt, in: transaction)
        }
        return OOBNotice(code: record, message: message, count: isProof ? nil : count)
    }
}
