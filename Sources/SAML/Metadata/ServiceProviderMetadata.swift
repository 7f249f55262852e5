package import Project

/// What an identity provider needs to know of this service provider (SAML metadata §2.4.4).
package struct ServiceProviderMetadata: Sendable {
    package var entityID: String
    /// Where responses may arrive, the usual address first.
    package var assertionConsumerURLs: [String]
    /// The certificates of the keys as PEM, the current one first. Providers check requests by any of them and encrypt for the first.
    package var certificates: [String]
    package var signsRequests: Bool
    /// Until when providers may keep the document; `nil` for no statement.
    package var validUntil: Timestamp?

    package init(
        entityID: String,
        assertionConsumerURLs: [String],
        certificates: [String],
        signsRequests: Bool,
        validUntil: Timestamp? = nil
    ) {
        self.entityID = entityID
        self.assertionConsumerURLs = assertionConsumerURLs
        self.certificates = certificates
        self.signsRequests = signsRequests
        self.validUntil = validUntil
    }

    /// The document, to be served as `application/samlmetadata+xml`.
    package func xml() throws -> [UInt8] {
        let writer = try XMLWriter()
        try writer.element(
            "md:EntityDescriptor",
            [
                ("xmlns:md", XMLNamespace.metadata), ("xmlns:ds", XMLNamespace.signature), ("entityID", entityID),
                ("validUntil", validUntil?.rfc3339),
            ]
        ) {
            try writer.element(
                "md:SPSSODescriptor",
                [
                    ("AuthnRequestsSigned", signsRequests ? "true" : "false"), ("WantAssertionsSigned", "true"),
                    ("protocolSupportEnumeration", XMLNamespace.protocol),
                ]
            ) {
                for certificate in certificates { try write("signing", certificate, to: writer) }
                if let current = certificates.first { try write("encryption", current, to: writer) }
                for (index, url) in assertionConsumerURLs.enumerated() {
                    try writer.element(
                        "md:AssertionConsumerService",
                        [
                            ("Binding", SAMLBinding.post), ("Location", url), ("index", String(index)),
                            ("isDefault", index == 0 ? "true" : nil),
                        ]
                    )
                }
            }
        }
        return try writer.finish()
    }

    private func write(_ use: String, _ certificate: String, to writer: XMLWriter) throws {
        guard let text = CertificatePEM.base64(pem: certificate) else { throw SAMLRequestError.key }
        try writer.element("md:KeyDescriptor", [("use", use)]) {
            try writer.element("ds:KeyInfo") {
                try writer.element("ds:X509Data") { try writer.element("ds:X509Certificate", text: text) }
            }
            guard use == "encryption" else { return }
            // What the verification accepts; a provider that reads this chooses it by itself.
            for algorithm in [XMLAlgorithm.aes256, XMLAlgorithm.aes128, XMLAlgorithm.oaep] {
                try writer.element("md:EncryptionMethod", [("Algorithm", algorithm)])
            }
        }
    }
}
