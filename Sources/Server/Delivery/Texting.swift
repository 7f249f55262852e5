import Accounts
import Foundation
import HTTPAPI
import Logging
import Messaging
import Project
import Settings
import Storage
import Tokens

/// The way out for text messages: the outbox and its service, where there is a transport.
struct Texting: Sendable {
    /// `nil` when no messages are sent.
    let service: OutboxService?
    let messages: SMSCodeMessages

    /// Puts the parts together.
    ///
    /// - Parameter environment: With the transport `log` its log shows the messages themselves.
    init(
        _ settings: Settings,
        database: any Database,
        sealer: TokenSealer,
        environment: ServerEnvironment
    ) {
        let outbox = SMSOutbox(payloadSeal: .outbox(sealer), environment: environment)
        let service = Self.transport(settings, environment).map {
            outbox.service(database: database, logger: environment.logger, transport: $0)
        }
        self.service = service
        messages = SMSCodeMessages(
            outbox: service.map { _ in outbox },
            domain: settings.sms.autofillDomain,
            wakeUp: { service?.wake() }
        )
    }

    private static func transport(_ settings: Settings, _ environment: ServerEnvironment) -> (any SMSTransport)? {
        switch settings.sms.transport {
        case .none: nil
        // Development logs each code where it is made, in one line.
        case .log: settings.mode.rules.showsCodes ? nil : LogSMSTransport(logger: environment.logger)
        case .twilio(let account):
            TwilioTransport(
                accountSID: account.accountSID,
                authToken: account.authToken.reveal(),
                from: account.from,
                baseURL: account.baseURL.text,
                http: environment.http
            )
        case .webhook(let webhook):
            Webhook(url: webhook.url.text, secret: webhook.secret.reveal(), environment: environment)
        }
    }
}

extension PayloadSeal {
    /// The seal of everything that waits to be sent.
    static func outbox(_ sealer: TokenSealer) -> PayloadSeal {
        PayloadSeal(
            seal: { try sealer.seal(Data($0), for: .outboxMessage) },
            open: { Array(try sealer.open($0, for: .outboxMessage)) }
        )
    }
}
