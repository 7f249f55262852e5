package import Project

/// What an identity provider needs to know of this service provider (SAML metadata §2.4.4).
package struct ServiceProviderMetadata: Sendable {
    package var entityID: String
    package var assertionConsumerURL: String
    /// The certificates of the keys as PEM, the current one first. Providers check requests by any of them and encrypt for the first.
    package var certificates: [String]
    package var signsRequests: Bool
    /// Until when providers may keep the document; `nil` for no statement.
    package var validUntil: Timestamp?

    package init(
        entityID: String,
        assertionConsumerURL: String,
        certificates: [String],
        signsRequests: Bool,
        validUntil: Timestamp? = nil
    ) {
        self.entityID = entityID
        self.assertionConsumerURL = assertionConsumerURL
        self.certificates = certificates
        self.signsRequests = signsRequests
        self.validUntil = validUntil
    }

    /// The document, to be served as `application/samlmetadata+xml`.
    ///
    /// - Returns: UTF-8.
    /// - Throws: ``SAMLRequestError``.
    package func xml() throws -> [UInt8] { fatalError() }
}
