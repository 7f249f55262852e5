import Project

/// Checks for whom and when an assertion is valid (SAML core §2.5).
struct ConditionCheck {
    let expectation: SAMLExpectation

    func end(of assertion: XMLElement) throws -> Timestamp? {
        guard let conditions = try assertion.child("Conditions", in: XMLNamespace.assertion, orThrow: .conditions) else {
            throw SAMLRefusal.conditions
        }
        let start = try ClaimCheck.time(conditions, "NotBefore")
        let end = try ClaimCheck.time(conditions, "NotOnOrAfter")
        if let start, expectation.now.advanced(by: ClockSkew.limit) < start { throw SAMLRefusal.notYetValid }
        if let end, expectation.now >= end.advanced(by: ClockSkew.limit) { throw SAMLRefusal.expired }
        var isForUs = false
        for condition in conditions.children {
            if condition.is("AudienceRestriction", in: XMLNamespace.assertion) {
                // Each restriction must hold; within one, any audience will do.
                guard names(condition) else { throw SAMLRefusal.audience }
                isForUs = true
            } else if !Self.isHarmless(condition) {
                throw SAMLRefusal.unknownCondition
            }
        }
        guard isForUs else { throw SAMLRefusal.audience }
        return end
    }

    private func names(_ restriction: XMLElement) -> Bool {
        restriction.children("Audience", in: XMLNamespace.assertion)
            .contains { $0.trimmedText?.isExactly(expectation.serviceProvider) == true }
    }

    // Every assertion is used once, and none is passed on.
    private static func isHarmless(_ condition: XMLElement) -> Bool {
        condition.is("OneTimeUse", in: XMLNamespace.assertion) || condition.is("ProxyRestriction", in: XMLNamespace.assertion)
    }
}
