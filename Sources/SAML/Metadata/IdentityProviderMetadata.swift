package import Project

/// What an identity provider says of itself (SAML metadata §2.4.3). The document is hostile until an operator has accepted it; its
/// signature says nothing, because no key to check it with is known.
package struct IdentityProviderMetadata: Sendable, Equatable {
    /// An address for requests.
    package struct Endpoint: Sendable, Equatable {
        /// The URI of the binding, such as ``SAMLBinding/redirect``.
        package let binding: String
        package let url: String

        package init(binding: String, url: String) {
            self.binding = binding
            self.url = url
        }
    }

    package let entityID: String
    /// Where requests are sent, in the document's order: bindings HTTP-Redirect and HTTP-POST only.
    package let singleSignOn: [Endpoint]
    /// The certificates for signatures as PEM, without repetitions.
    package let certificates: [String]
    package let wantsSignedRequests: Bool
    /// Until when the document may be used.
    package let validUntil: Timestamp?

    /// Reads metadata. Callers on event loops use ``SAMLVerifier/metadata(in:)``.
    ///
    /// - Parameter xml: One `EntityDescriptor`, or an `EntitiesDescriptor` with exactly one identity provider in it.
    /// - Throws: ``SAMLRefusal``.
    package init(xml: [UInt8]) throws { fatalError() }
}

/// URIs of the bindings that requests are sent by.
package enum SAMLBinding {
    package static let redirect = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"
    package static let post = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"
}
