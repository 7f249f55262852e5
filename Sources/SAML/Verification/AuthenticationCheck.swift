import Project

/// Checks when the user signed in at the provider (SAML core §2.7.2).
struct AuthenticationCheck {
    let expectation: SAMLExpectation

    /// What the first statement says; the others pass the same checks.
    struct Authentication {
        let instant: Timestamp
        let sessionIndex: String?
        /// The earliest end of a session.
        let sessionEnd: Timestamp?
    }

    /// - Parameter assertion: The assertion.
    /// - Returns: When the user signed in.
    /// - Throws: ``SAMLRefusal``.
    func read(_ assertion: XMLElement) throws -> Authentication {
        let statements = assertion.children("AuthnStatement", in: XMLNamespace.assertion)
        let read = try statements.map { statement in
            guard let instant = try ClaimCheck.time(statement, "AuthnInstant") else { throw SAMLRefusal.authentication }
            let end = try ClaimCheck.time(statement, "SessionNotOnOrAfter")
            guard instant <= expectation.now.advanced(by: ClockSkew.limit) else { throw SAMLRefusal.authenticatedInFuture }
            guard expectation.now - expectation.authenticationAge - ClockSkew.limit <= instant else {
                throw SAMLRefusal.authenticationTooOld
            }
            if let since = expectation.authenticatedSince, instant < since - ClockSkew.limit {
                throw SAMLRefusal.authenticatedBefore
            }
            if let end, expectation.now >= end.advanced(by: ClockSkew.limit) { throw SAMLRefusal.sessionExpired }
            return Authentication(instant: instant, sessionIndex: statement.attribute("SessionIndex"), sessionEnd: end)
        }
        guard let first = read.first else { throw SAMLRefusal.authentication }
        return Authentication(
            instant: first.instant,
            sessionIndex: first.sessionIndex,
            sessionEnd: read.compactMap(\.sessionEnd).min()
        )
    }
}
