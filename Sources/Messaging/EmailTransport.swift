/// Sends messages out of the server.
package protocol EmailTransport: Sendable {
    /// Hands a message over, and returns once the receiving server has taken responsibility for it.
    ///
    /// Cancelling the task ends the attempt soon, with a temporary failure.
    ///
    /// - Parameter stamp: Its id and time, the same for every attempt.
    /// - Throws: ``DeliveryError``; nothing else.
    func send(_ message: EmailMessage, stamp: EmailStamp) async throws
}
