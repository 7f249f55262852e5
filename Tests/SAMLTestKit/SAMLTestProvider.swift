package import Project

/// An identity provider for tests: it has a key and a certificate, reads requests, and answers with responses whose every part a test may
/// change before they are signed.
package struct SAMLTestProvider: Sendable {
    package var entityID: String
    package var key: SAMLTestKey

    /// - Parameters:
    ///   - entityID: The provider's name.
    ///   - kind: The kind of its key.
    package init(entityID: String = "https://idp.example/metadata", kind: SAMLTestKey.Kind = .rsa) throws {
        self.entityID = entityID
        key = try SAMLTestKey(kind)
    }

    /// The provider's certificate as PEM.
    package var certificate: String { key.certificate }

    /// The honest answer to a request, in parts.
    ///
    /// - Parameters:
    ///   - request: What was asked.
    ///   - nameID: Who signed in.
    ///   - attributes: The user's attributes.
    ///   - audience: The service provider's entity id; `nil` for the request's issuer.
    ///   - now: When the user signs in.
    /// - Returns: The parts.
    package func answer(
        to request: SAMLTestRequest,
        nameID: String,
        attributes: [(name: String, values: [String])] = [],
        audience: String? = nil,
        now: Timestamp
    ) -> SAMLTestResponse {
        let time = now.rfc3339
        let assertion = SAMLTestAssertion(
            id: Self.randomID(),
            issueInstant: time,
            issuer: entityID,
            nameID: nameID,
            recipient: request.assertionConsumerURL,
            inResponseTo: request.id,
            confirmationNotOnOrAfter: now.advanced(by: .seconds(300)).rfc3339,
            notBefore: (now - .seconds(30)).rfc3339,
            notOnOrAfter: now.advanced(by: .seconds(300)).rfc3339,
            audiences: [[audience ?? request.issuer]],
            authnInstant: time,
            attributes: attributes
        )
        return SAMLTestResponse(
            id: Self.randomID(),
            issueInstant: time,
            destination: request.assertionConsumerURL,
            inResponseTo: request.id,
            issuer: entityID,
            assertion: assertion
        )
    }

    /// The answer to a request as XML, which is posted in Base64.
    ///
    /// - Parameters:
    ///   - request: What was asked.
    ///   - nameID: Who signed in.
    ///   - attributes: The user's attributes.
    ///   - audience: The service provider's entity id; `nil` for the request's issuer.
    ///   - now: When the user signs in.
    ///   - change: Changes the parts before they are signed.
    /// - Returns: The XML.
    package func respond(
        to request: SAMLTestRequest,
        nameID: String,
        attributes: [(name: String, values: [String])] = [],
        audience: String? = nil,
        now: Timestamp,
        change: (inout SAMLTestResponse) -> Void = { _ in }
    ) throws -> String {
        var response = answer(to: request, nameID: nameID, attributes: attributes, audience: audience, now: now)
        change(&response)
        return try response.element(by: key).canonical
    }

    /// The provider's metadata.
    ///
    /// - Parameter singleSignOn: Where requests go, by redirect and by post.
    /// - Returns: The XML.
    package func metadata(singleSignOn: String) -> String {
        let certificate = SAMLTestElement("ds:X509Certificate", text: key.certificateText)
        let info = SAMLTestElement("ds:KeyInfo", elements: [SAMLTestElement("ds:X509Data", elements: [certificate])])
        let services = ["HTTP-Redirect", "HTTP-POST"].map { binding in
            SAMLTestElement(
                "md:SingleSignOnService",
                [("Binding", "urn:oasis:names:tc:SAML:2.0:bindings:\(binding)"), ("Location", singleSignOn)]
            )
        }
        let role = SAMLTestElement(
            "md:IDPSSODescriptor",
            [("protocolSupportEnumeration", SAMLTestElement.namespaces["samlp"])],
            elements: [SAMLTestElement("md:KeyDescriptor", [("use", "signing")], elements: [info])] + services
        )
        return SAMLTestElement("md:EntityDescriptor", [("entityID", entityID)], elements: [role]).canonical
    }

    private static func randomID() -> String {
        "_" + (0..<4).map { _ in String(UInt64.random(in: 0...(.max)), radix: 16) }.joined()
    }
}
