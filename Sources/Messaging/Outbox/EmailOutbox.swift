import Foundation
package import Project
package import Storage

/// Where use cases leave their mail: they never wait for a mail server.
///
/// First ``prepare(_:scope:expiresAt:)``, outside the transaction, since it draws randomness; then ``Storage/Transaction``'s
/// `insertOutboxMessage` beside whatever else changes; after the commit ``OutboxService/wake()``.
package struct EmailOutbox: Sendable {
    private let payloadSeal: PayloadSeal
    private let environment: ServerEnvironment

    // Longest stay of a message that says nothing else.
    static let longestStay = Duration.seconds(24 * 3600)

    package init(payloadSeal: PayloadSeal, environment: ServerEnvironment) {
        self.payloadSeal = payloadSeal
        self.environment = environment
    }

    /// Makes a message ready to be stored.
    ///
    /// - Parameters:
    ///   - message: What to send.
    ///   - scope: Whose mail it is; decides through which server it leaves.
    ///   - expiresAt: When its link expires, from when on it is not sent any more; a day from now at the latest.
    /// - Returns: What `insertOutboxMessage` takes.
    /// - Throws: ``EmailMessageError``, and what the seal throws.
    package func prepare(_ message: EmailMessage, scope: Scope, expiresAt: Timestamp? = nil) throws -> OutboxRecord {
        try message.validate()
        let now = environment.now()
        let stamp = EmailStamp(id: environment.randomText(length: 26), time: now)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        let payload = try encoder.encode(OutboxPayload(message: message, stamp: stamp))
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
    ///
    /// - Throws: What the seal throws, and `DecodingError`.
    func open(_ record: OutboxRecord) throws -> OutboxPayload {
        try JSONDecoder().decode(OutboxPayload.self, from: Data(payloadSeal.open(record.payload)))
    }
}
