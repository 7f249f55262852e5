/// The parts of an assertion. `nil` leaves a part out.
package struct SAMLTestAssertion: Sendable {
    package var id: String
    package var version = "2.0"
    package var issueInstant: String?
    package var issuer: String?
    package var nameID: String?
    package var nameIDFormat: String? = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"
    package var confirmationMethod = "urn:oasis:names:tc:SAML:2.0:cm:bearer"
    package var recipient: String?
    package var inResponseTo: String?
    package var confirmationNotBefore: String?
    package var confirmationNotOnOrAfter: String?
    package var notBefore: String?
    package var notOnOrAfter: String?
    /// One restriction for each list.
    package var audiences: [[String]]
    package var authnInstant: String?
    package var sessionIndex: String? = "session-1"
    package var sessionNotOnOrAfter: String?
    package var attributes: [(name: String, values: [String])] = []
    /// Changes the element before it is signed.
    package var change: (@Sendable (inout SAMLTestElement) -> Void)?

    /// The element without a signature.
    package var element: SAMLTestElement {
        var element = SAMLTestElement("saml:Assertion", [("ID", id), ("Version", version), ("IssueInstant", issueInstant)])
        if let issuer { element.nodes.append(.element(SAMLTestElement("saml:Issuer", text: issuer))) }
        element.nodes.append(.element(subject))
        let restrictions = audiences.map { audience in
            SAMLTestElement("saml:AudienceRestriction", elements: audience.map { SAMLTestElement("saml:Audience", text: $0) })
        }
        let times = [("NotBefore", notBefore), ("NotOnOrAfter", notOnOrAfter)]
        element.nodes.append(.element(SAMLTestElement("saml:Conditions", times, elements: restrictions)))
        if let authnInstant {
            let facts = [
                ("AuthnInstant", authnInstant), ("SessionIndex", sessionIndex), ("SessionNotOnOrAfter", sessionNotOnOrAfter),
            ]
            let kind = SAMLTestElement(
                "saml:AuthnContextClassRef",
                text: "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport"
            )
            let context = SAMLTestElement("saml:AuthnContext", elements: [kind])
            element.nodes.append(.element(SAMLTestElement("saml:AuthnStatement", facts, elements: [context])))
        }
        if !attributes.isEmpty {
            let written = attributes.map { attribute in
                let values = attribute.values.map { SAMLTestElement("saml:AttributeValue", text: $0) }
                return SAMLTestElement("saml:Attribute", [("Name", attribute.name)], elements: values)
            }
            element.nodes.append(.element(SAMLTestElement("saml:AttributeStatement", elements: written)))
        }
        change?(&element)
        return element
    }

    private var subject: SAMLTestElement {
        let data = SAMLTestElement(
            "saml:SubjectConfirmationData",
            [
                ("InResponseTo", inResponseTo), ("NotBefore", confirmationNotBefore), ("NotOnOrAfter", confirmationNotOnOrAfter),
                ("Recipient", recipient),
            ]
        )
        var subject = SAMLTestElement("saml:Subject")
        if let nameID { subject.nodes.append(.element(SAMLTestElement("saml:NameID", [("Format", nameIDFormat)], text: nameID))) }
        subject.nodes.append(
            .element(SAMLTestElement("saml:SubjectConfirmation", [("Method", confirmationMethod)], elements: [data]))
        )
        return subject
    }
}
