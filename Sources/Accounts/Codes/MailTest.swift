package import Messaging
package import Project
import Storage
import Tenancy

/// Shows the messages of a project as their readers see them, and sends one to an operator.
package struct MailTest: UsesRuntime {
    let runtime: Runtime
    let throttle: Throttle
    let mailer: OOBMailer
    /// `server.publicURL`
    let publicURL: @Sendable () -> String

    private static let life = Duration.seconds(3600)

    /// A message with made-up values.
    package func sample(
        _ purpose: EmailPurpose,
        in language: EmailLanguage,
        for recipient: String,
        context: CallContext
    ) async throws -> EmailMessage {
        let configuration = try await configurations.configuration(of: context.scope).document
        return try mailer.sample(
            purpose,
            to: recipient,
            in: language,
            link: publicURL() + "/__/auth/action?mode=sample&oobCode=sample",
            configuration: configuration,
            scope: context.scope
        )
    }

    /// The domain of the address from which a project's mail comes; `nil` when this server sends none.
    package func senderDomain(_ context: CallContext) async throws -> String? {
        mailer.sender(try await configurations.configuration(of: context.scope).document)?.domain
    }

    /// Sends a sample to the operator who asks for it. It counts as any other mail to the address.
    ///
    /// - Throws: `APIError` `INVALID_SENDER` for a server that sends no mail, `TOO_MANY_ATTEMPTS_TRY_LATER`.
    package func send(
        _ purpose: EmailPurpose,
        in language: EmailLanguage,
        to recipient: String,
        context: CallContext
    ) async throws {
        guard context.adminScopes.contains(.config) else { throw APIError(.insufficientPermission) }
        guard try await senderDomain(context) != nil else {
            throw APIError(.invalidSender, "Postern has no way to send e-mail.")
        }
        let message = try await sample(purpose, in: language, for: recipient, context: context)
        try await throttle.mail(to: recipient, context: context)
        let now = environment.now()
        let record = try mailer.prepare(message, scope: context.scope, expiresAt: now.advanced(by: Self.life))
        let detail: JSONValue = ["template": .string(purpose.rawValue), "language": .string(language.rawValue)]
        let event = context.auditEvent(.testMailSent, of: nil, detail, id: environment.newEventID(), at: now)
        try await database.write { transaction throws in
            try transaction.insertOutboxMessage(record)
            try transaction.insertAuditEvent(context.scope, event)
        }
        mailer.wake()
    }
}
