package import Project
package import Storage
package import Tokens

/// The checks of an `idToken` field, in the contract's order (`Docs/Contract/client-accounts.md` §0.1).
package struct IDTokenRules: Sendable {
    let issuer: TokenIssuer
    /// How old the sign-in behind a token may be.
    let recentLogin: RecentLoginRule

    /// Checks the token itself: rules 1 and 2.
    ///
    /// - Parameter scope: The scope of the request; without a tenant in it, the token's tenant is selected.
    /// - Throws: `APIError` `INVALID_ID_TOKEN`, `TENANT_ID_MISMATCH`.
    package func verify(_ idToken: String, scope: Scope) throws -> VerifiedIDToken {
        let token = try issuer.verify(idToken, projectID: scope.projectID)
        if let selected = scope.tenantID, selected != token.scope.tenantID { throw APIError(.tenantIDMismatch) }
        return token
    }

    /// Reads the optional token of a request and selects its tenant.
    ///
    /// - Parameter context: The call; its scope becomes the token's.
    /// - Returns: The token or its error, which each endpoint reports in its own order; `nil` when there is no token.
    package func select(_ idToken: String?, in context: inout CallContext) -> Result<VerifiedIDToken, any Error>? {
        guard let idToken else { return nil }
        let token = Result { try verify(idToken, scope: context.scope) }
        if let verified = try? token.get() { context.scope = verified.scope }
        return token
    }

    /// Checks only that a token does not belong to another tenant than the selected one; invalid tokens are ignored.
    ///
    /// - Throws: `APIError` `TENANT_ID_MISMATCH`.
    package func checkTenant(of idToken: String, scope: Scope) throws {
        guard let selected = scope.tenantID, let token = try? issuer.verify(idToken, projectID: scope.projectID) else { return }
        if selected != token.scope.tenantID { throw APIError(.tenantIDMismatch) }
    }

    /// Reads the token's account and checks it by rules 3 to 5, and checks that the token's session has not ended.
    ///
    /// Ending a session ends its ID tokens at once, by its row rather than by a time (`Docs/Contract/rulings.md` 10,
    /// threat case SES-13). The session is checked last, so that the user of a disabled account, whose sessions have ended, is
    /// told that it is disabled.
    ///
    /// - Parameter transaction: The transaction to read in; in a writing one, check and write are one step.
    /// - Throws: `APIError` `USER_NOT_FOUND`, `TOKEN_EXPIRED`, `USER_DISABLED`.
    package static func authorizedAccount(of token: VerifiedIDToken, in transaction: Transaction) throws -> AccountRecord {
        let account = try require(try transaction.account(token.scope, localID: token.localID), .userNotFound)
        let validSince = account.validSince ?? .min
        if token.issuedAt < validSince || token.isExpired { throw APIError(.tokenExpired) }
        if account.isDisabled { throw APIError(.userDisabled) }
        switch token.life {
        case .session(let id):
            let session = try transaction.session(token.scope, localID: token.localID, sessionID: id)
            guard let session, !session.hasEnded(by: account) else { throw APIError(.tokenExpired) }
        case .emulated: break
        }
        return account
    }
}
