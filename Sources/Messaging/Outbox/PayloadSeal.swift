/// Seals and opens what the outbox stores, under the master key: messages hold one-time links.
///
/// Handed in, so that this module knows nothing of keys.
package struct PayloadSeal: Sendable {
    /// Seals bytes to text.
    package let seal: @Sendable ([UInt8]) throws -> String
    /// Opens what `seal` made; throws for anything else.
    package let open: @Sendable (String) throws -> [UInt8]

    package init(
        seal: @escaping @Sendable ([UInt8]) throws -> String,
        open: @escaping @Sendable (String) throws -> [UInt8]
    ) {
        self.seal = seal
        self.open = open
    }
}

/// What a sealed payload holds.
struct OutboxPayload: Codable {
    let message: EmailMessage
    let stamp: EmailStamp
}
