import Messaging
import Project
import Storage
import Tenancy

/// A code that an account's owner receives unasked to take a change back, with its message.
struct OOBNotice: Sendable {
    let code: OOBCodeRecord
    /// The message; `nil` when none can be made. The code is stored anyway, and development shows it.
    let message: OutboxRecord?
    /// Counts it, and says whether it is sent; `nil` where the change is a proof of ownership, which no number of notices holds up.
    fileprivate let count: (@Sendable (Transaction) throws -> Bool)?

    /// Writes the code and its message, in the transaction of the change.
    ///
    /// - Parameter account: The account before the change, as the transaction read it.
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER` when its recipient got too many, which undoes the change.
    func insert(of account: AccountRecord, _ scope: Scope, in transaction: Transaction) throws {
        guard try count?(transaction) ?? true else { return }
        var code = code
        code.generation = account.proofGeneration
        code.provenAt = account.hasProvenAddress && account.email == code.email ? account.emailProvenAt : nil
        try transaction.insertOOBCode(scope, code)
        if let message { try transaction.insertOutboxMessage(message) }
    }
}

/// Tells owners by e-mail about changes of their accounts, each time with a code that takes the change back.
package struct OOBNotices: Sendable {
    let mode: ModeRules
    let throttle: Throttle
    let mail: OOBMail

    var codes: OOBCodeMint { mail.codes }

    /// Prepares the notice that a second factor was added (`Docs/Contract/phone-and-mfa.md` §7.2).
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

    /// Prepares the notice that an account's proven address is replaced. Its owner may take it back
    /// (`Docs/Contract/rulings.md` 36).
    ///
    /// - Parameter isProof: Whether the change is a proof of ownership. The limit of notices never refuses a proof.
    /// - Returns: `nil` for an address that was never proven.
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

    /// Starts the sending of a committed notice.
    func announce(_ notice: OOBNotice?) { if notice?.message != nil { mail.mailer.wake() } }

    /// Makes the reporter that tells owners about changed ways to sign in.
    ///
    /// - Parameter isProof: Whether the change is a proof of ownership. The limit of notices never refuses a proof.
    /// - Returns: `nil` in development, because the emulator sends no such notices.
    func reporter(_ configuration: ScopeConfiguration, context: CallContext, isProof: Bool = false) -> Reporter? {
        guard mode.tellsOwnersOfChanges else { return nil }
        return Reporter(notices: self, configuration: configuration, context: context, isProof: isProof)
    }

    /// Tells the owner of an account about changed ways to sign in.
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
        /// The code takes back what was added. Its time is that of the change, so the change itself counts as new.
        func report(
            _ changes: [AccountAlteration],
            of account: AccountRecord,
            _ scope: Scope,
            at time: Timestamp,
            in transaction: Transaction
        ) throws {
            guard !changes.isEmpty, account.hasProvenAddress, let email = account.email else { return }
            let draft = notices.codes.draft(.recoverEmail, email: email, createdAt: time)
            let context = context.inScope(scope)
            let notice = try notices.notice(draft, account, changes: changes, isProof: isProof, configuration, context)
            try notice.insert(of: account, scope, in: transaction)
            hasReported.withLock { $0 = true }
        }

        /// Starts the sending of committed notices.
        func announce() { if hasReported.withLock({ $0 }) { notices.mail.mailer.wake() } }
    }

    func notice(
        _ draft: OOBCodeMint.Draft,
        _ account: AccountRecord,
        changes: [AccountAlteration] = [],
        isProof: Bool = false,
        _ configuration: ScopeConfiguration,
        _ context: CallContext
    ) throws -> OOBNotice {
        var draft = draft
        draft.record.localID = account.localID
        let link = mail.links.link(draft, configuration, context: context)
        try codes.keep(link.text, in: &draft, scope: context.scope)
        let record = draft.record
        let content = OOBMailer.MailContent(code: record, link: link, account: account, changes: changes)
        let message = try? mail.mailer.message(content, configuration: configuration.document, scope: context.scope)
        let isNewPassword = changes.contains(.passwordSet) && changes.allSatisfy { $0 == .passwordSet || $0.isRemoval }
        let count: @Sendable (Transaction) throws -> Bool = { [throttle] transaction in
            let time = record.createdAt
            if isNewPassword {
                return try throttle.admits(passwordNoticeTo: record.email, context: context, at: time, in: transaction)
            }
            try throttle.count(noticeTo: record.email, context: context, at: time, in: transaction)
            return true
        }
        // Removals are not counted: each needs an addition first, and an owner must be able to remove what a thief has added.
        let isRemoval = !changes.isEmpty && changes.allSatisfy(\.isRemoval)
        return OOBNotice(code: record, message: message, count: isProof || isRemoval ? nil : count)
    }
}
