import Project

/// Checks what a verified response says against what its flow expects, and reads the assertion (SAML profiles §4.1.4).
struct ClaimCheck {
    let response: XMLElement
    let assertion: XMLElement
    /// Whether the response must name its destination (SAML bindings §3.5.5.2).
    let needsDestination: Bool
    /// Whether the response must name its issuer (SAML profiles §4.1.4.2).
    let needsResponseIssuer: Bool
    let expectation: SAMLExpectation

    // Longer names are none that a person or a directory has.
    private static let longestNameID = 1024
    // A flow is over much sooner, and a provider's mistake shall not fill the store.
    private static let longestMemory = Duration.seconds(86_400)

    func read() throws -> SAMLAssertion {
        try checkResponse()
        try checkIssue(of: assertion)
        let issuer = try assertion.child("Issuer", in: XMLNamespace.assertion, orThrow: .issuer)
        guard isProvider(issuer) else { throw SAMLRefusal.issuer }
        guard let subject = try assertion.child("Subject", in: XMLNamespace.assertion, orThrow: .subject) else {
            throw SAMLRefusal.subject
        }
        let name = try nameID(of: subject)
        let confirmedUntil = try Confirmation(expectation: expectation).end(of: subject)
        let validUntil = try ConditionCheck(expectation: expectation).end(of: assertion)
        let authentication = try AuthenticationCheck(expectation: expectation).read(assertion)
        return SAMLAssertion(
            id: assertion.attribute("ID") ?? "",
            issuer: expectation.identityProvider,
            nameID: name.value,
            nameIDFormat: name.format,
            sessionIndex: authentication.sessionIndex,
            authnInstant: authentication.instant,
            notOnOrAfter: min(
                [confirmedUntil, validUntil, authentication.sessionEnd].compactMap { $0 }.reduce(confirmedUntil, min)
                    .advanced(by: ClockSkew.limit),
                expectation.now.advanced(by: Self.longestMemory)
            ),
            attributes: try AttributeReader().attributes(of: assertion)
        )
    }

    // The form of a time.
    static func time(_ element: XMLElement, _ name: String) throws -> Timestamp? {
        guard let text = element.attribute(name) else { return nil }
        guard let time = DateTime.parse(text) ?? offset(text) else { throw SAMLRefusal.time }
        return time
    }

    // Some providers write their own offset from UTC, although they should not.
    private static func offset(_ text: String) -> Timestamp? {
        text.utf8.count <= 40 && text.utf8.last != UInt8(ascii: "Z") ? Timestamp(rfc3339: text) : nil
    }

    private func checkResponse() throws {
        let destination = response.attribute("Destination")
        guard destination.map({ $0.isExactly(expectation.assertionConsumerURL) }) ?? !needsDestination else {
            throw SAMLRefusal.destination
        }
        guard let request = response.attribute("InResponseTo"), request.isExactly(expectation.requestID) else {
            throw SAMLRefusal.responseInResponseTo
        }
        try checkIssue(of: response)
        let issuer = try response.child("Issuer", in: XMLNamespace.assertion, orThrow: .responseIssuer)
        guard issuer == nil ? !needsResponseIssuer : isProvider(issuer) else { throw SAMLRefusal.responseIssuer }
    }

    private func checkIssue(of element: XMLElement) throws {
        guard let issued = try Self.time(element, "IssueInstant") else { throw SAMLRefusal.time }
        guard issued <= expectation.now.advanced(by: ClockSkew.limit) else { throw SAMLRefusal.issuedInFuture }
        if let requested = expectation.requestedAt, issued < requested - ClockSkew.limit { throw SAMLRefusal.issuedBeforeRequest }
    }

    private func isProvider(_ issuer: XMLElement?) -> Bool {
        // Another format would be the name of something else than a provider.
        guard let issuer, issuer.attribute("Format")?.isExactly(NameIDFormat.entity) != false else { return false }
        return issuer.trimmedText?.isExactly(expectation.identityProvider) == true
    }

    private func nameID(of subject: XMLElement) throws -> (value: String, format: String) {
        guard subject.children("EncryptedID", in: XMLNamespace.assertion).isEmpty else { throw SAMLRefusal.encryptedPart }
        guard let name = try subject.child("NameID", in: XMLNamespace.assertion, orThrow: .nameID), let value = name.trimmedText,
            (1...Self.longestNameID).contains(value.utf8.count), StreamSafety.holds(for: value)
        else { throw SAMLRefusal.nameID }
        let format = name.attribute("Format") ?? NameIDFormat.unspecified
        guard NameIDFormat.ofUsers.contains(where: format.isExactly) else { throw SAMLRefusal.nameIDFormat }
        if let wanted = expectation.nameIDFormat, !NameIDFormat.isSame(format, wanted) { throw SAMLRefusal.otherNameIDFormat }
        if format.isExactly(NameIDFormat.persistent) { try checkQualifiers(of: name) }
        return (value, format)
    }

    // A persistent name is unique to the provider and the service together, so that the same text under others is somebody else.
    private func checkQualifiers(of name: XMLElement) throws {
        guard name.attribute("NameQualifier")?.isExactly(expectation.identityProvider) != false,
            name.attribute("SPNameQualifier")?.isExactly(expectation.serviceProvider) != false
        else { throw SAMLRefusal.nameQualifier }
    }
}

/// Kinds of names (SAML core §8.3).
package enum NameIDFormat {
    package static let unspecified = old + "unspecified"
    package static let emailAddress = old + "emailAddress"
    package static let persistent = new + "persistent"
    /// Another name at each sign-in, by which no account can be found again.
    package static let transient = new + "transient"
    static let entity = new + "entity"

    /// Those that can name a user. Some providers write the old ones under SAML 2.0's prefix.
    package static let ofUsers = [
        unspecified, emailAddress, persistent, transient, old + "X509SubjectName", old + "WindowsDomainQualifiedName",
        new + "kerberos", newUnspecified, newEmailAddress,
    ]

    /// Whether two URIs mean the same kind of name.
    static func isSame(_ one: String, _ other: String) -> Bool { usual(one).isExactly(usual(other)) }

    private static func usual(_ format: String) -> String {
        if format.isExactly(newUnspecified) { return unspecified }
        return format.isExactly(newEmailAddress) ? emailAddress : format
    }

    private static let newUnspecified = new + "unspecified"
    private static let newEmailAddress = new + "emailAddress"
    private static let old = "urn:oasis:names:tc:SAML:1.1:nameid-format:"
    private static let new = "urn:oasis:names:tc:SAML:2.0:nameid-format:"
}
