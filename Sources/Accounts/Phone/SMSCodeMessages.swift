package import Messaging
import Project
import Storage

/// Turns a code into a text message in the outbox.
package struct SMSCodeMessages: Sendable {
    private let outbox: SMSOutbox?
    private let domain: @Sendable () -> String?
    private let wakeUp: @Sendable () -> Void

    /// - Parameters:
    ///   - outbox: Where messages wait; `nil` when this server sends none.
    ///   - domain: Host of the server.
    ///   - wakeUp: Says that a message was committed.
    package init(
        outbox: SMSOutbox?,
        domain: @escaping @Sendable () -> String?,
        wakeUp: @escaping @Sendable () -> Void
    ) {
        self.outbox = outbox
        self.domain = domain
        self.wakeUp = wakeUp
    }

    /// Whether there is a way out.
    var canSend: Bool { outbox != nil }

    /// Makes a message in the client's language. `X-Firebase-Locale` goes before `Accept-Language`, which does not count where
    /// `notification.sendSms.useDeviceLocale` is off, and `notification.defaultLocale` comes last (`contract/admin-config.md` §3).
    ///
    /// - Returns: What goes into the outbox; `nil` when this server sends none.
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

    /// Says that a message was committed.
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
