package import SAML
package import Project

/// An identity provider for tests: it has a key and a certificate, reads requests, and answers with responses whose every part a test may
/// change before or after they are signed.
package struct SAMLTestProvider: Sendable {
    /// What the provider signs with.
    package enum KeyKind: Sendable { case rsa, ec }

    package var entityID: String
    /// The provider's certificate as PEM.
    package let certificate: String

    /// - Parameters:
    ///   - entityID: The provider's name.
    ///   - kind: The kind of its key.
    package init(entityID: String = "https://idp.example/metadata", kind: KeyKind = .rsa) throws { fatalError() }

    /// The honest answer to a request.
    ///
    /// - Parameters:
    ///   - request: What was asked, by ``SAMLTestRequest``.
    ///   - nameID: Who signed in.
    ///   - attributes: The user's attributes.
    ///   - audience: The service provider's entity id; `nil` for the request's issuer.
    ///   - now: When the user signs in.
    ///   - change: Changes the parts before they are signed.
    /// - Returns: The XML, which is posted in Base64.
    package func respond(
        to request: SAMLTestRequest,
        nameID: String,
        attributes: [(name: String, values: [String])] = [],
        audience: String? = nil,
        now: Timestamp,
        change: (inout SAMLTestResponse) -> Void = { _ in }
    ) throws -> String { fatalError() }

    /// The provider's metadata, with its addresses for requests.
    ///
    /// - Parameter singleSignOn: Where requests go, by redirect and by post.
    /// - Returns: The XML.
    package func metadata(singleSignOn: String) -> String { fatalError() }
}

/// A request as an identity provider reads it.
package struct SAMLTestRequest: Sendable {
    package var id: String
    package var issuer: String
    package var assertionConsumerURL: String
    package var forceAuthn: Bool
    package var nameIDFormat: String?
    package var relayState: String?
    /// Whether the request was signed; the signature is checked by ``init(redirect:certificate:)`` and ``init(form:relayState:certificate:)``.
    package var isSigned: Bool

    package init(id: String, issuer: String, assertionConsumerURL: String) { fatalError() }

    /// Reads the address that a browser was sent to.
    ///
    /// - Parameters:
    ///   - redirect: The URL.
    ///   - certificate: The certificate of the service provider; a signature that it does not verify is an error.
    package init(redirect: String, certificate: String? = nil) throws { fatalError() }

    /// Reads the fields of a posted form.
    ///
    /// - Parameters:
    ///   - form: `SAMLRequest`.
    ///   - relayState: `RelayState`.
    ///   - certificate: The certificate of the service provider; a signature that it does not verify is an error.
    package init(form: String, relayState: String?, certificate: String? = nil) throws { fatalError() }
}

/// The parts of a response. Empty means absent where the member is a text.
package struct SAMLTestResponse: Sendable {
    package var id = ""
}
