package import Logging
package import Messaging
import Project
import Storage

/// Turns one-time codes into messages for the outbox.
package struct OOBMailer: Sendable {
    private let templates: EmailTemplates
    private let outbox: EmailOutbox
    private let sender: Mailbox?
    private let publicURL: @Sendable () -> String
    private let logger: Logger
    private let wakeUp: @Sendable () -> Void

    /// - Parameters:
    ///   - sender: `email.from`; `nil` when this server has no sender of its own.
    ///   - wakeUp: Called after messages were committed.
    package init(
        templates: EmailTemplates,
        outbox: EmailOutbox,
        sender: Mailbox?,
        publicURL: @escaping @Sendable () -> String,
        logger: Logger,
        wakeUp: @escaping @Sendable () -> Void
    ) {
        self.templates = templates
        self.outbox = outbox
        self.sender = sender
        self.publicURL = publicURL
        self.logger = logger
        self.wakeUp = wakeUp
    }

    /// The message of a code, before its text is made.
    struct MailContent: Sendable {
        let code: OOBCodeRecord
        /// The code's link, whose language is the message's.
        let link: OOBLink.Localized
        /// The recipient; `nil` is the address of the code.
        var recipient: String?
        /// The account whose name the greeting has.
        var account: AccountRecord?
        /// The changes of the account that the message reports, if any.
        var changes: [AccountAlteration] = []
    }

    /// Makes a message.
    ///
    /// - Throws: `APIError` `INVALID_SENDER` when no sender is configured, `INVALID_RECIPIENT_EMAIL` for an address that mail
    ///   cannot be sent to.
    func message(_ content: MailContent, configuration: JSONValue, scope: Scope) throws -> OutboxRecord {
        let (code, account) = (content.code, content.account)
        let settings = configuration["notification"]?["sendEmail"]
        guard let sender = self.sender(configuration) else {
            logger.warning(
                "an e-mail was not sent: email.transport is not set",
                metadata: ["message": "\(code.type.rawValue)", "project": "\(scope.projectID)", "tenant": "\(scope.tenantKey)"]
            )
            throw APIError(.invalidSender, "Postern has no way to send e-mail.")
        }
        let purpose = content.changes.isEmpty ? EmailPurpose(code.type) : .accountChanged
        let template = purpose.configurationKey.flatMap { settings?[$0] }
        do {
            let message = try templates.message(
                purpose,
                to: content.recipient ?? code.email,
                from: sender,
                language: content.link.language,
                values: EmailValues(
                    appName: scope.projectID,
                    email: code.email,
                    newEmail: code.newEmail ?? (code.type == .recoverEmail ? account?.email : nil),
                    displayName: account?.displayName,
                    link: content.link.text,
                    changes: content.changes
                ),
                override: template.map(EmailTemplateOverride.init(document:))
            )
            return try outbox.prepare(message, scope: scope, expiresAt: code.expiresAt)
        } catch let error as EmailMessageError {
            // The template is the operator's, and the client learns nothing of it.
            if error == .tooLong { logger.error("an e-mail was not sent: it is too long", metadata: ["message": "\(purpose)"]) }
            throw APIError(.invalidRecipientEmail, cause: error)
        }
    }

    /// The sender of a project's mail; `nil` when it has none.
    func sender(_ configuration: JSONValue) -> Mailbox? {
        let custom = configuration["notification"]?["sendEmail"]?["smtp"]?["senderEmail"]?.string
        return custom.flatMap { try? Mailbox(address: $0) } ?? sender
    }

    /// Makes a message with made-up values.
    func sample(
        _ purpose: EmailPurpose,
        to recipient: String,
        in language: EmailLanguage,
        link: String,
        configuration: JSONValue,
        scope: Scope
    ) throws -> EmailMessage {
        let template = purpose.configurationKey.flatMap { configuration["notification"]?["sendEmail"]?[$0] }
        do {
            return try templates.message(
                purpose,
                to: recipient,
                from: try sender(configuration) ?? Mailbox(address: "noreply@localhost.localdomain"),
                language: language,
                values: EmailValues(
                    appName: scope.projectID,
                    email: recipient,
                    newEmail: "new@example.com",
                    displayName: "Ada Lovelace",
                    link: link,
                    changes: [.passkeyAdded]
                ),
                override: template.map(EmailTemplateOverride.init(document:))
            )
        } catch let error as EmailMessageError {
            throw APIError(.invalidRecipientEmail, cause: error)
        }
    }

    /// Makes the message with the link of an invitation to the console.
    ///
    /// The mail leaves by `email.transport`, not by the project's own mail server: operators who may set that server must not read the link.
    ///
    /// - Throws: ``OperatorError/invalidEmail`` for an address that mail cannot be sent to; `APIError` `INVALID_SENDER` when no
    ///   sender is configured.
    func invitation(
        to recipient: String,
        link: String,
        in language: EmailLanguage,
        scope: Scope,
        expiresAt: Timestamp
    ) throws -> OutboxRecord {
        guard let sender else { throw APIError(.invalidSender, "Postern has no way to send e-mail.") }
        do {
            let message = try templates.message(
                .operatorInvitation,
                to: recipient,
                from: sender,
                language: language,
                values: EmailValues(appName: scope.projectID, email: recipient, link: link)
            )
            return try outbox.prepare(message, scope: scope, expiresAt: expiresAt, isServersOwn: true)
        } catch is EmailMessageError {
            throw OperatorError.invalidEmail
        }
    }

    /// Makes a message ready for the outbox.
    func prepare(_ message: EmailMessage, scope: Scope, expiresAt: Timestamp) throws -> OutboxRecord {
        try outbox.prepare(message, scope: scope, expiresAt: expiresAt)
    }

    /// Starts the sending of committed messages.
    package func wake() { wakeUp() }
}

extension EmailPurpose {
    fileprivate init(_ type: OOBRequestType) {
        self =
            switch type {
            case .passwordReset: .passwordReset
            case .verifyEmail: .verifyEmail
            case .emailSignIn: .emailSignIn
            case .verifyAndChangeEmail: .verifyAndChangeEmail
            case .recoverEmail: .recoverEmail
            case .revertSecondFactorAddition: .secondFactorAdded
            }
    }
}
