import Messaging
import Project
import Storage

/// Tells an account's owner by e-mail that a second factor was added, with a code that removes it again
/// (`contract/phone-and-mfa.md` §7.2).
package struct SecondFactorNotice: Sendable {
    private let codes: OOBCodeMint
    private let links: OOBLink
    private let mailer: OOBMailer

    package init(codes: OOBCodeMint, links: OOBLink, mailer: OOBMailer) {
        self.codes = codes
        self.links = links
        self.mailer = mailer
    }

    /// A notice that is ready to be stored with the factor.
    struct Prepared: Sendable {
        let code: OOBCodeRecord
        /// `nil` where no mail can be sent; the code is kept, which development shows.
        let message: OutboxRecord?
    }

    /// Prepares a notice.
    ///
    /// - Returns: `nil` for an account without an address.
    /// - Throws: When sealing fails.
    func prepare(
        for account: AccountRecord,
        enrollmentID: String,
        _ configuration: ScopeConfiguration,
        context: CallContext
    ) throws -> Prepared? {
        guard let email = account.email else { return nil }
        var draft = codes.draft(.revertSecondFactorAddition, email: email)
        draft.record.localID = account.localID
        draft.record.enrollmentID = enrollmentID
        let notification = configuration.document["notification"]
        let language = EmailLanguage.negotiate(
            firebaseLocale: context.locale,
            acceptLanguage: context.acceptLanguage,
            projectDefault: notification?["defaultLocale"]?.string
        )
        let link = links.text(
            draft,
            scope: context.scope,
            language: language.rawValue,
            continueURL: nil,
            callback: notification?["sendEmail"]?["callbackUri"]?.string
        )
        try codes.keep(link, in: &draft, scope: context.scope)
        let message = try? mailer.message(
            draft.record,
            link: link,
            account: account,
            language: language,
            configuration: configuration.document,
            scope: context.scope
        )
        return Prepared(code: draft.record, message: message)
    }

    /// Stores a notice.
    static func store(_ notice: Prepared, _ scope: Scope, in transaction: any Transaction) throws {
        try transaction.insertOOBCode(scope, notice.code)
        if let message = notice.message { try transaction.insertOutboxMessage(message) }
    }

    /// Says that a notice was committed.
    func announce(_ notice: Prepared?) { if notice?.message != nil { mailer.wake() } }
}
