import Foundation
package import Logging
package import Project
package import Storage

/// Where use cases leave their text messages: they never wait for an SMS service.
///
/// First ``prepare(_:scope:expiresAt:)``, outside the transaction; then `insertOutboxMessage` beside whatever else changes; after
/// the commit ``OutboxService/wake()``.
package struct SMSOutbox: Sendable {
    private let payloadSeal: PayloadSeal
    private let environment: ServerEnvironment

    package init(payloadSeal: PayloadSeal, environment: ServerEnvironment) {
        self.payloadSeal = payloadSeal
        self.environment = environment
    }

    /// Makes a message ready to be stored.
    ///
    /// - Parameters:
    ///   - message: What to send.
    ///   - scope: Whose message it is.
    ///   - expiresAt: When its code expires, from when on it is not sent any more.
    /// - Returns: What `insertOutboxMessage` takes.
    /// - Throws: What the seal throws.
    package func prepare(_ message: SMSMessage, scope: Scope, expiresAt: Timestamp) throws -> OutboxRecord {
        OutboxRecord(
            messageID: environment.randomText(length: 26),
            scope: scope,
            payload: try payloadSeal.seal(Array(JSONEncoder().encode(message))),
            createdAt: environment.now(),
            expiresAt: expiresAt
        )
    }

    /// The service that sends what is in the outbox.
    ///
    /// - Parameters:
    ///   - database: The store.
    ///   - logger: Told of failures, without numbers or content.
    ///   - configuration: How the service works.
    ///   - transport: The way out.
    /// - Returns: The service, to be run once.
    package func service(
        database: any Database,
        logger: Logger,
        configuration: OutboxService.Configuration = .init(),
        transport: any SMSTransport
    ) -> OutboxService {
        let payloadSeal = payloadSeal
        return OutboxService(
            .sms,
            database: database,
            environment: environment,
            logger: logger,
            configuration: configuration,
            attempt: { record in
                let message: SMSMessage
                do {
                    message = try JSONDecoder().decode(SMSMessage.self, from: Data(payloadSeal.open(record.payload)))
                } catch { throw DeliveryError.permanent("cannot be opened") }
                try await transport.send(message, scope: record.scope)
            }
        )
    }
}
