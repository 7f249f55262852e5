import Foundation
package import Project
package import Storage

/// Stores the mail of use cases, so that they never wait for a mail server.
///
/// Call ``prepare(_:scope:expiresAt:isServersOwn:)`` first, outside the transaction, because it draws randomness. Then call
/// ``Storage/Transaction``'s `insertOutboxMessage` in the transaction of the other changes, and ``OutboxService/wake()`` after
/// the commit.
package struct EmailOutbox: Sendable {
    private let payloadSeal: PayloadSeal
    private let environment: ServerEnvironment

    // The longest time that a message without an earlier expiry stays.
    static let longestStay = Duration.seconds(24 * 3600)

    package init(payloadSeal: PayloadSeal, environment: ServerEnvironment) {
        self.payloadSeal = payloadSeal
        self.environment = environment
    }

    /// Prepares a message for the store.
    ///
    /// - Parameters:
    ///   - scope: The scope of the mail, which determines the mail server.
    ///   - expiresAt: When its link expires. The message is not sent after that, nor later than a day from now.
    ///   - isServersOwn: Whether it leaves by the server's own way, even if the project has a mail server of its own.
    package func prepare(
        _ message: EmailMessage,
        scope: Scope,
        expiresAt: Timestamp? = nil,
        isServersOwn: Bool = false
    ) throws -> OutboxRecord {
        try message.validate()
        let now = environment.now()
        let stamp = EmailStamp(id: environment.randomText(length: 26), time: now)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        let payload = try encoder.encode(OutboxPayload(message: message, stamp: stamp, isServersOwn: isServersOwn ? true : nil))
        let latest = now.advanced(by: Self.longestStay)
        return OutboxRecord(
            messageID: stamp.id,
            scope: scope,
            payload: try payloadSeal.seal(Array(payload)),
            createdAt: now,
            expiresAt: min(expiresAt ?? latest, latest)
        )
    }

    /// Opens a stored message.
    func open(_ record: OutboxRecord) throws -> OutboxPayload {
        try JSONDecoder().decode(OutboxPayload.self, from: Data(payloadSeal.open(record.payload)))
    }
}
