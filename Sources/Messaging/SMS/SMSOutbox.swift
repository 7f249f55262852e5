import Foundation
package import Logging
package import Project
package import Storage

/// Stores the text messages of use cases, so that they never wait for an SMS service.
///
/// Call ``prepare(_:scope:expiresAt:)`` first, outside the transaction. Then call `insertOutboxMessage` in the transaction of the
/// other changes, and ``OutboxService/wake()`` after the commit.
package struct SMSOutbox: Sendable {
    private let payloadSeal: PayloadSeal
    private let environment: ServerEnvironment

    package init(payloadSeal: PayloadSeal, environment: ServerEnvironment) {
        self.payloadSeal = payloadSeal
        self.environment = environment
    }

    /// Prepares a message for the store.
    ///
    /// - Parameter expiresAt: The message is not sent after that.
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
    /// - Parameter logger: Gets no numbers and no content.
    /// - Returns: It may be run once.
    package func service(
        database: any Database,
        logger: Logger,
        configuration: OutboxService.Configuration = .init(),
        transport: any SMSTransport
    ) -> OutboxService {
        let (payloadSeal, environment) = (payloadSeal, environment)
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
                guard message.bearsCode else { return }
                // Regions are told apart by what has left: what is only asked for costs a stranger nothing.
                environment.count("postern_sms_codes_sent_total", [("region", PhoneNumber.region(of: message.to) ?? "none")])
            }
        )
    }
}
