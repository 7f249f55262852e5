/// The parts of a response. `nil` leaves a part out.
package struct SAMLTestResponse: Sendable {
    /// What is signed.
    package enum Signed: Sendable, CaseIterable {
        case assertion
        case response
        case both
        case nothing
    }

    package var id: String
    package var version = "2.0"
    package var issueInstant: String?
    package var destination: String?
    package var inResponseTo: String?
    package var issuer: String?
    package var status = "urn:oasis:names:tc:SAML:2.0:status:Success"
    package var innerStatus: String?
    /// `nil` for none, as when the provider refuses.
    package var assertion: SAMLTestAssertion?
    package var signed = Signed.assertion
    /// How both are signed.
    package var signature = SAMLTestSignature()
    /// How the assertion is encrypted; `nil` for not at all.
    package var encryption: SAMLTestEncryption?
    /// Changes the element before it is signed, when it has its assertion.
    package var change: (@Sendable (inout SAMLTestElement) -> Void)?

    /// The element around an assertion, without a signature.
    ///
    /// - Parameter assertion: Signed or encrypted already.
    package func element(around assertion: SAMLTestElement?) -> SAMLTestElement {
        var element = SAMLTestElement(
            "samlp:Response",
            [
                ("Destination", destination), ("ID", id), ("InResponseTo", inResponseTo), ("IssueInstant", issueInstant),
                ("Version", version),
            ]
        )
        if let issuer { element.nodes.append(.element(SAMLTestElement("saml:Issuer", text: issuer))) }
        let inner = innerStatus.map { SAMLTestElement("samlp:StatusCode", [("Value", $0)]) }
        let code = SAMLTestElement("samlp:StatusCode", [("Value", status)], elements: inner.map { [$0] } ?? [])
        element.nodes.append(.element(SAMLTestElement("samlp:Status", elements: [code])))
        if let assertion { element.nodes.append(.element(assertion)) }
        change?(&element)
        return element
    }

    /// The whole response, signed and encrypted as the members say.
    ///
    /// - Parameter key: The provider's.
    package func element(by key: SAMLTestKey) throws -> SAMLTestElement {
        var part = assertion?.element
        if let clear = part, signed == .assertion || signed == .both { part = try signature.sign(clear, by: key) }
        if let clear = part, let encryption { part = try encryption.encrypt(clear.canonical) }
        let whole = element(around: part)
        return signed == .response || signed == .both ? try signature.sign(whole, by: key) : whole
    }
}
