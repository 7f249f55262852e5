/// A way for a message to leave the server.
package protocol EmailTransport: Sendable {
    /// Hands a message over, and returns once somebody else has taken responsibility for it.
    ///
    /// The task's cancellation ends the attempt soon, as a temporary failure.
    ///
    /// - Parameters:
    ///   - message: What to send.
    ///   - stamp: What every attempt at this message has in common.
    /// - Throws: ``EmailDeliveryError``; nothing else.
    func send(_ message: EmailMessage, stamp: EmailStamp) async throws
}

/// Why a message was not handed over. The text is for operators: no address, no content, no secret.
package enum EmailDeliveryError: Error, Hashable, Sendable {
    /// A later attempt may succeed: no connection, no TLS, no authentication, or a 4xx reply (RFC 5321 §4.2.1).
    case temporary(String)
    /// No attempt will: the server refused this message or its recipient with a 5xx reply.
    case permanent(String)

    /// What happened.
    package var reason: String {
        switch self {
        case .temporary(let reason), .permanent(let reason): reason
        }
    }
}
