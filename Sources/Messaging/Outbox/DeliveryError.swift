/// Why a message was not handed over. The text is for operators: no address, no content, no secret.
package enum DeliveryError: Error, Hashable, Sendable {
    /// A later attempt may succeed: no connection, no TLS, no authentication, too much to do.
    case temporary(String)
    /// No attempt will: the server refused this message or its recipient.
    case permanent(String)

    /// What happened.
    package var reason: String {
        switch self {
        case .temporary(let reason), .permanent(let reason): reason
        }
    }
}
