import Project

/// An identity provider's answer through the browser (RFC 6749 §4.1.2, RFC 5849 §2.2). Nothing of it is verified.
package struct AuthorizationAnswer: Sendable {
    private let form: CredentialForm

    /// Reads the answer in a form, if there is one.
    ///
    /// A credential that names its provider is not an answer, even when there is a `state` beside it. The emulator's stand-in for a
    /// SAML response has no `RelayState`.
    package init?(_ form: CredentialForm) {
        let isCredential =
            form["providerId"] != nil && (form["access_token"] != nil || form["oauth_token_secret"] != nil)
            || form["SAMLResponse"] != nil && form["RelayState"] == nil
        let names = ["state", "oauth_token", "denied", "SAMLResponse"]
        guard !isCredential, names.contains(where: { form[$0] != nil }) else { return nil }
        self.form = form
    }

    /// The key to the flow: `RelayState`, `state`, or the request token of OAuth 1.0a.
    package var key: FlowKey? {
        if form["SAMLResponse"] != nil { return form["RelayState"].map(FlowKey.state) }
        if let state = form["state"] { return .state(state) }
        return (form["oauth_token"] ?? form["denied"]).map(FlowKey.requestToken)
    }

    // Everything that the members below read.
    private static let names = [
        "state", "code", "id_token", "user", "iss", "error", "oauth_token", "oauth_verifier", "denied", "SAMLResponse",
        "RelayState",
    ]

    /// The SHA-256 of the answer, by which it is known again.
    package var hash: [UInt8] { sha256(JSONValue.array(Self.names.map { form[$0].map(JSONValue.string) ?? .null }).serialized()) }

    /// The provider that the client names beside the answer.
    package var providerID: String? { form["providerId"]?.lowercased() }
    package var code: String? { form["code"] }
    package var idToken: String? { form["id_token"] }
    package var user: String? { form["user"] }
    package var samlResponse: String? { form["SAMLResponse"] }
    package var issuer: String? { form["iss"] }
    package var verifier: String? { form["oauth_verifier"] }
    package var requestToken: String? { form["oauth_token"] }
    /// The provider's error code; OAuth 1.0a has only one.
    package var error: String? { form["error"] ?? (form["denied"] == nil ? nil : "access_denied") }
    /// Whether the user cancelled.
    package var isCancelled: Bool { error.map { Self.cancellations.contains($0) } ?? false }

    private static let cancellations: Set<String> = ["access_denied", "user_cancelled_authorize", "user_cancelled_login"]
}

/// The key by which a flow is found.
package enum FlowKey: Sendable, Hashable {
    case state(String)
    /// OAuth 1.0a's request token.
    case requestToken(String)

    /// The text to hash. A request token never finds a flow that is stored under a state.
    package var text: String {
        switch self {
        case .state(let state): "state:" + state
        case .requestToken(let token): "oauth_token:" + token
        }
    }
}
