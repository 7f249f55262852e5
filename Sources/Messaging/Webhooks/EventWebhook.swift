package import Logging
package import Project
package import Storage

/// The operator's web hook for account events. Each event is posted until it is accepted, for a day
/// (`Docs/Contract/rulings.md` 16).
package struct EventWebhook: Sendable {
    private let url: String
    private let secret: String
    private let environment: ServerEnvironment

    /// - Parameters:
    ///   - url: `webhooks.url`.
    ///   - secret: `webhooks.secret`.
    ///   - environment: Outgoing HTTP and the clock.
    package init(url: String, secret: String, environment: ServerEnvironment) {
        self.url = url
        self.secret = secret
        self.environment = environment
    }

    /// The service that posts what is in the outbox.
    ///
    /// - Parameters:
    ///   - database: The store.
    ///   - logger: Logs failures, without content.
    ///   - configuration: How the service works.
    /// - Returns: The service. It may be run once.
    package func service(
        database: any Database,
        logger: Logger,
        configuration: OutboxService.Configuration = .init()
    ) -> OutboxService {
        OutboxService(
            .webhook,
            database: database,
            environment: environment,
            logger: logger,
            configuration: configuration,
            attempt: { try await post($0) }
        )
    }

    // No refusal is permanent, because the receiver may be repaired within a day.
    private func post(_ record: OutboxRecord) async throws {
        let request = SignedPost.request(Array(record.payload.utf8), to: url, secret: secret, at: environment.now())
        let response: OutboundHTTP.Response
        do {
            response = try await environment.http(request, limits: .init(maximumBodyBytes: 1 << 16))
        } catch let error as OutboundError {
            throw DeliveryError.temporary("web hook: \(error)")
        }
        guard (200..<300).contains(response.status) else { throw DeliveryError.temporary("web hook: \(response.status)") }
    }
}
