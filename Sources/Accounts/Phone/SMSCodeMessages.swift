package import Messaging
import Project
import Storage
import Tenancy

/// Turns codes into text messages for the outbox.
package struct SMSCodeMessages: Sendable {
    private let outbox: SMSOutbox?
    private let domain: @Sendable () -> String?
    private let wakeUp: @Sendable () -> Void

    /// - Parameters:
    ///   - outbox: Prepares messages for sending; `nil` when this server sends none.
    ///   - domain: The server's host.
    ///   - wakeUp: Called after messages were committed.
    package init(
        outbox: SMSOutbox?,
        domain: @escaping @Sendable () -> String?,
        wakeUp: @escaping @Sendable () -> Void
    ) {
        self.outbox = outbox
        self.domain = domain
        self.wakeUp = wakeUp
    }

    /// Whether messages can be sent.
    var canSend: Bool { outbox != nil }

    /// Makes a message in the client's language: `X-Firebase-Locale` comes first, then `Accept-Language` unless
    /// `notification.sendSms.useDeviceLocale` is off, then `notification.defaultLocale` (`Docs/Contract/admin-config.md` §3).
    ///
    /// - Returns: The message for the outbox; `nil` when this server sends none.
    /// - Throws: When sealing fails.
    func message(
        _ code: String,
        to number: String,
        _ request: SMSCodeRequest,
        configuration: ScopeConfiguration,
        context: CallContext,
        expiresAt: Timestamp
    ) throws -> OutboxRecord? {
        guard let outbox else { return nil }
        let notification = configuration.document["notification"]
        let usesDeviceLocale = notification?["sendSms"]?["useDeviceLocale"]?.bool ?? true
        let language = EmailLanguage.negotiate(
            firebaseLocale: context.locale,
            acceptLanguage: usesDeviceLocale ? context.acceptLanguage : nil,
            projectDefault: notification?["defaultLocale"]?.string
        )
        let text = try SMSTexts(domain: domain()).text(
            code: code,
            appName: context.scope.projectID,
            language: language,
            appSignatureHash: request.proof.appSignatureHash
        )
        let message = SMSMessage(to: number, text: text, locale: language.rawValue, purpose: request.purpose.messagePurpose)
        return try outbox.prepare(message, scope: context.scope, expiresAt: expiresAt)
    }

    /// Makes a message without a code.
    ///
    /// - Returns: The message for the outbox; `nil` when this server sends none.
    /// - Throws: When sealing fails.
    func testMessage(
        _ text: String,
        to number: String,
        locale: String,
        scope: Scope,
        expiresAt: Timestamp
    ) throws -> OutboxRecord? {
        let message = SMSMessage(to: number, text: text, locale: locale, purpose: "test")
        return try outbox?.prepare(message, scope: scope, expiresAt: expiresAt)
    }

    /// Starts the sending of committed messages.
    func wake() { wakeUp() }
}

extension SMSCodePurpose {
    fileprivate var messagePurpose: String {
        switch self {
        case .signIn: "signIn"
        case .enrollment: "mfaEnrollment"
        case .secondFactor: "mfaSignIn"
        }
    }
}
