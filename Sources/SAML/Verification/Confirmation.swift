import Project

/// Checks that the bearer of an assertion may use it here and now, for this very request (SAML profiles §4.1.4.2).
struct Confirmation {
    let expectation: SAMLExpectation

    private static let bearer = "urn:oasis:names:tc:SAML:2.0:cm:bearer"

    /// - Returns: When the last confirmation that holds ends.
    /// - Throws: ``SAMLRefusal``, of the first confirmation where none holds.
    func end(of subject: XMLElement) throws -> Timestamp {
        let bearers = subject.children("SubjectConfirmation", in: XMLNamespace.assertion)
            .filter { $0.attribute("Method")?.isExactly(Self.bearer) == true }
        var ends: [Timestamp] = []
        var refusal: SAMLRefusal?
        for bearer in bearers {
            do {
                ends.append(try end(ofBearer: bearer))
            } catch let error as SAMLRefusal {
                refusal = refusal ?? error
            }
        }
        guard let end = ends.max() else { throw refusal ?? .confirmation }
        return end
    }

    private func end(ofBearer bearer: XMLElement) throws -> Timestamp {
        let data = bearer.children("SubjectConfirmationData", in: XMLNamespace.assertion)
        guard data.count == 1 else { throw SAMLRefusal.confirmation }
        guard data[0].attribute("Recipient")?.isExactly(expectation.assertionConsumerURL) == true else {
            throw SAMLRefusal.recipient
        }
        guard data[0].attribute("InResponseTo")?.isExactly(expectation.requestID) == true else { throw SAMLRefusal.inResponseTo }
        guard let end = try ClaimCheck.time(data[0], "NotOnOrAfter") else { throw SAMLRefusal.time }
        if let start = try ClaimCheck.time(data[0], "NotBefore"), expectation.now.advanced(by: ClockSkew.limit) < start {
            throw SAMLRefusal.confirmationNotYet
        }
        guard expectation.now < end.advanced(by: ClockSkew.limit) else { throw SAMLRefusal.confirmationExpired }
        return end
    }
}
