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
            try Self.checkContext(of: statement)
            return Authentication(instant: instant, sessionIndex: statement.attribute("SessionIndex"), sessionEnd: end)
        }
        guard let first = read.first else { throw SAMLRefusal.authentication }
        return Authentication(
            instant: first.instant,
            sessionIndex: first.sessionIndex,
            sessionEnd: read.compactMap(\.sessionEnd).min()
        )
    }

    // No way of signing in is asked for, so each will do; but SAML demands that one is named (§2.7.2.2).
    private static func checkContext(of statement: XMLElement) throws {
        guard let context = try statement.child("AuthnContext", in: XMLNamespace.assertion, orThrow: .authenticationContext)
        else { throw SAMLRefusal.authenticationContext }
        for name in ["AuthnContextClassRef", "AuthnContextDeclRef"] {
            let reference = try context.child(name, in: XMLNamespace.assertion, orThrow: .authenticationContext)
            if let reference { return try checkReference(reference) }
        }
        guard context.children("AuthnContextDecl", in: XMLNamespace.assertion).count == 1 else {
            throw SAMLRefusal.authenticationContext
        }
    }

    private static func checkReference(_ reference: XMLElement) throws {
        guard reference.trimmedText?.isEmpty == false else { throw SAMLRefusal.authenticationContext }
    }
}
