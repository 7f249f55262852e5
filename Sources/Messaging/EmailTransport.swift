/// A way for a message to leave the server.
package protocol EmailTransport: Sendable {
    /// Hands a message over, and returns once somebody else has taken responsibility for it.
    ///
    /// The task's cancellation ends the attempt soon, as a temporary failure.
    ///
    /// - Parameters:
    ///   - message: What to send.
    ///   - stamp: What every attempt at this message has in common.
    /// - Throws: ``DeliveryError``; nothing else.
    func send(_ message: EmailMessage, stamp: EmailStamp) async throws
}
