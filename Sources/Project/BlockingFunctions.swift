/// The project's own functions that may refuse or change a sign-in (`Docs/Contract/admin-config.md` §10.1). Tenants have none;
/// the functions of their project apply to them.
package struct BlockingFunctions: Sendable, Hashable {
    /// When a function is asked.
    package enum Event: String, Sendable, CaseIterable {
        case beforeCreate
        case beforeSignIn
        case beforeSendEmail
        case beforeSendSMS = "beforeSendSms"
    }

    /// Whether a provider's access token and its secret are shown to functions.
    package let forwardsAccessToken: Bool
    /// Whether a provider's ID token is shown to functions.
    package let forwardsIDToken: Bool
    /// Whether a provider's refresh token is shown to functions.
    package let forwardsRefreshToken: Bool
    private let addresses: [Event: String]

    /// Reads the project's `Config`.
    package init(project: JSONValue) {
        let functions = project["blockingFunctions"]
        let forwarded = functions?["forwardInboundCredentials"]
        forwardsAccessToken = forwarded?["accessToken"]?.bool ?? false
        forwardsIDToken = forwarded?["idToken"]?.bool ?? false
        forwardsRefreshToken = forwarded?["refreshToken"]?.bool ?? false
        let triggers = functions?["triggers"]
        let named = Event.allCases.compactMap { event in
            triggers?[event.rawValue]?["functionUri"]?.string.map { (event, $0) }
        }
        addresses = Dictionary(named) { first, _ in first }
    }

    /// The URL of an event's function; `nil` when the event has none.
    package subscript(event: Event) -> String? { addresses[event] }
}
