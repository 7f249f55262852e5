/// Seals and opens the payloads of the outbox under the master key, because messages hold one-time links.
///
/// It is passed in, so that this module needs no keys.
package struct PayloadSeal: Sendable {
    /// Seals bytes to text.
    package let seal: @Sendable ([UInt8]) throws -> String
    /// Opens a text that `seal` made, and throws for any other text.
    package let open: @Sendable (String) throws -> [UInt8]

    package init(
        seal: @escaping @Sendable ([UInt8]) throws -> String,
        open: @escaping @Sendable (String) throws -> [UInt8]
    ) {
        self.seal = seal
        self.open = open
    }
}

struct OutboxPayload: Codable {
    let message: EmailMessage
    let stamp: EmailStamp
    /// Whether it leaves by the server's own way only; `nil` in messages of earlier versions, which did not.
    var isServersOwn: Bool?
}
