package import Messaging
package import Project
import Storage
import Tenancy

/// Turns codes into text messages for the outbox.
package struct SMSCodeMessages: Sendable {
    private let outbox: SMSOutbox?
    private let domain: HostName?
    private let wakeUp: @Sendable () -> Void

    /// - Parameter outbox: Prepares messages for sending; `nil` when this server sends none.
    package init(
        outbox: SMSOutbox?,
        domain: HostName?,
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
        let text = try SMSTexts(domain: appHost(context, configuration)?.text).text(
            code: code,
            appName: context.scope.projectID,
            language: language,
            appSignatureHash: request.proof.appSignatureHash
        )
        let message = SMSMessage(to: number, text: text, locale: language.rawValue, purpose: request.purpose.messagePurpose)
        return try outbox.prepare(message, scope: context.scope, expiresAt: expiresAt)
    }

    // Browsers fill the code in on this host and those below it, so that nobody else may choose it: a sub-domain of an entry is
    // authorized for much, but its text is the client's.
    private func appHost(_ context: CallContext, _ configuration: ScopeConfiguration) -> HostName? {
        if let domain { return domain }
        guard let page = context.origin.flatMap(WebAddress.init), page.rest.isEmpty else { return nil }
        let listed = AuthorizedHosts(configuration.policy.authorizedDomains, publicURL: nil).listed
        return listed.contains(page.host) ? page.host : nil
    }

    /// Makes a message without a code.
    func testMessage(
        _ text: String,
        to number: String,
        locale: String,
        scope: Scope,
        expiresAt: Timestamp
    ) throws -> OutboxRecord? {
        let message = SMSMessage(to: number, text: text, locale: locale, purpose: SMSMessage.testPurpose)
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
