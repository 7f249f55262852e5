import Accounts
import Logging
import Messaging
import Project
import Settings
import Storage

/// The way out for events about accounts: the outbox and its service, where there is a web hook.
struct Webhooks: Sendable {
    /// `nil` when events are not posted.
    let service: OutboxService?
    let events: EventOutbox

    /// Puts the parts together.
    init(_ settings: WebhookSettings, database: any Database, environment: ServerEnvironment) {
        let service = settings.receiver.map { receiver in
            Webhook(url: receiver.url.text, secret: receiver.secret.reveal(), environment: environment)
                .service(database: database, logger: environment.logger)
        }
        self.service = service
        if let service {
            events = EventOutbox { service.wake() }
        } else {
            events = EventOutbox(wakeUp: nil)
        }
    }
}
