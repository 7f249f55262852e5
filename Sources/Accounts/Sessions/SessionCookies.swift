package import Project
import Storage
import Tenancy
import Tokens

/// Makes session cookies from ID tokens (`Docs/Contract/admin-accounts.md` §15, `Docs/Contract/tokens.md` §5).
///
/// The app decides how old the sign-in behind the token may be, as with Firebase.
package struct SessionCookies: UsesRuntime {
    let runtime: Runtime
    let idTokens: IDTokenRules

    /// Makes a cookie.
    ///
    /// - Parameter seconds: The cookie's lifetime in seconds; 0 for the longest.
    /// - Throws: `APIError` `INVALID_DURATION` before anything else, then of the ID token rules.
    package func create(idToken: String, seconds: Int64, context: CallContext) async throws -> String {
        let longest = seconds == 0 ? TokenIssuer.cookieSeconds.upperBound : seconds
        guard TokenIssuer.cookieSeconds.contains(longest) else { throw APIError(.invalidDuration) }
        let token = try idTokens.verify(idToken, scope: context.scope)
        let scope = token.scope
        try await configurations.requireServed(scope, namedIn: context)
        let time = environment.now()
        // A cookie does not outlive the session of an operator who acts as the user.
        let lifetime = min(longest, max((token.operatorSessionEnd ?? .max) - time.seconds, 1))
        let detail: JSONValue = ["seconds": .integer(lifetime)]
        let event = context.auditEvent(.createSessionCookie, of: token.localID, detail, by: environment, at: time)
        try await database.write { transaction in
            _ = try IDTokenRules.authorizedAccount(of: token, in: transaction)
            try transaction.insertAuditEvent(scope, event)
        }
        return try idTokens.issuer.mintSessionCookie(
            from: idToken,
            projectID: scope.projectID,
            issuedAt: time.seconds,
            lifetimeSeconds: lifetime
        )
    }
}
