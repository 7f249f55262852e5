package import Project

/// A request that asks an identity provider to sign a user in (SAML core §3.4).
package struct AuthnRequest: Sendable {
    /// `_` and 160 random bits.
    package let id: String
    /// The entity id of this service provider.
    package let issuer: String
    /// The provider's address for the binding in use.
    package let destination: String
    /// Where the response shall be posted.
    package let assertionConsumerURL: String
    /// The kind of name that the provider shall answer with; `nil` leaves it to the provider.
    package let nameIDFormat: String?
    /// Whether the provider shall ask for the password although the user has a session.
    package let forceAuthn: Bool
    package let issueInstant: Timestamp

    package init(
        id: String = randomID(),
        issuer: String,
        destination: String,
        assertionConsumerURL: String,
        nameIDFormat: String? = nil,
        forceAuthn: Bool = false,
        issueInstant: Timestamp
    ) {
        self.id = id
        self.issuer = issuer
        self.destination = destination
        self.assertionConsumerURL = assertionConsumerURL
        self.nameIDFormat = nameIDFormat
        self.forceAuthn = forceAuthn
        self.issueInstant = issueInstant
    }

    /// A new id: `_`, since ids may not begin with a digit, and 160 random bits as hexadecimal digits.
    package static func randomID() -> String { fatalError() }

    /// The address that the browser is sent to (HTTP-Redirect, SAML bindings §3.4).
    ///
    /// - Parameters:
    ///   - relayState: The flow's state, which the provider sends back.
    ///   - signingKey: The service provider's RSA key as PEM (PKCS #8); `nil` leaves the request unsigned.
    /// - Returns: `destination` with `SAMLRequest`, `RelayState` and, when signed, `SigAlg` and `Signature`.
    /// - Throws: ``SAMLRequestError``.
    package func redirectURL(relayState: String, signingKey: String?) throws -> String { fatalError() }

    /// The fields of the form that the browser posts to `destination` (HTTP-POST, SAML bindings §3.5).
    ///
    /// - Parameters:
    ///   - relayState: The flow's state, which the provider sends back.
    ///   - signingKey: The service provider's RSA key as PEM (PKCS #8); `nil` leaves the request unsigned.
    ///   - certificate: The key's certificate as PEM, which the signature names.
    /// - Returns: The values of the fields, `samlRequest` in Base64.
    /// - Throws: ``SAMLRequestError``.
    package func form(
        relayState: String,
        signingKey: String?,
        certificate: String?
    ) throws -> (samlRequest: String, relayState: String) {
        fatalError()
    }
}

/// Why no request or metadata could be written. The configuration is the reason, never a user.
package enum SAMLRequestError: Error, Equatable {
    /// A text holds characters that XML cannot carry.
    case text
    /// The key is no RSA key in PKCS #8, or the certificate none in PEM.
    case key
    /// A library failed.
    case library
}
