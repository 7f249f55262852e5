/// Why a message was not handed over. The text is for operators and has no address, no content and no secret.
package enum DeliveryError: Error, Hashable, Sendable {
    /// A later attempt may succeed: there was no connection, no TLS or no authentication, or the server was busy.
    case temporary(String)
    /// No later attempt can succeed: the server refused this message or its recipient.
    case permanent(String)

    package var reason: String {
        switch self {
        case .temporary(let reason), .permanent(let reason): reason
        }
    }
}
