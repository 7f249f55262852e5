package import Project
import Settings
import Storage
import Tenancy
import Tokens

/// Exchanges refresh tokens for ID tokens (`Docs/Contract/client-accounts.md` §13, `Docs/Contract/tokens.md` §2).
package struct TokenRefresh: UsesRuntime {
    let runtime: Runtime
    let idleDays: Int
    let mint: SessionMint

    package struct Result: Sendable {
        package let tokens: IssuedTokens
        package let localID: String
    }

    /// Refreshes a session.
    ///
    /// - Returns: The refresh token stays valid and is the one presented, in development in another spelling.
    package func refresh(_ refreshToken: String, context: CallContext) async throws -> Result {
        let respells = mode.respellsRefreshTokens
        let token = respells ? RefreshToken(respelled: refreshToken) : RefreshToken(text: refreshToken)
        let time = environment.now()
        let subject: IDTokenSubject
        do {
            subject = try await database.write { try self.noteUse(of: token, context, at: time, in: $0) }
        } catch let refusal as APIError {
            // A disabled scope must not reveal anything of its accounts, so its own error comes first.
            if let scope = try await database.read({ try $0.session(tokenHash: token.hash)?.scope }),
                scope.projectID == context.scope.projectID
            {
                try await configurations.requireServed(scope, namedIn: context)
            }
            throw refusal
        }
        try await configurations.requireServed(subject.scope, namedIn: context)
        let answered = respells ? token.respelled(environment) : token
        let tokens = try mint.tokens(subject, refreshToken: answered, at: time, isRefresh: true)
        return Result(tokens: tokens, localID: subject.account.localID)
    }

    /// Notes in the session and its account that they were used, and checks both; an error undoes it.
    private func noteUse(
        of token: RefreshToken,
        _ context: CallContext,
        at time: Timestamp,
        in transaction: Transaction
    ) throws -> IDTokenSubject {
        let session = try require(try transaction.session(tokenHash: token.hash), .invalidRefreshToken)
        guard session.scope.projectID == context.scope.projectID else {
            throw APIError(mode.refreshTokenOfOtherProject)
        }
        if let selected = context.scope.tenantID, selected != session.scope.tenantID { throw APIError(.tenantIDMismatch) }
        let scope = session.scope
        // First the session, then the account, as where sessions are ended: two orders are a deadlock, which PostgreSQL takes a second to see.
        try transaction.touchSession(tokenHash: token.hash, at: time)
        let account = try require(
            try transaction.touchRefresh(scope, localID: session.localID, at: time),
            mode.refreshTokenOfRemovedAccount
        )
        if account.isDisabled { throw APIError(.userDisabled) }
        if mode.refreshTokensEndWithSessions, hasEnded(session, account, at: time) { throw APIError(.tokenExpired) }
        if let end = ActorClaim.end(of: session.claims, authTime: session.authTime), time.seconds >= end {
            throw APIError(.tokenExpired)
        }
        return IDTokenSubject(
            scope: scope,
            account: account,
            identities: try transaction.identities(scope, localID: account.localID),
            session: session
        )
    }

    private func hasEnded(_ session: SessionRecord, _ account: AccountRecord, at time: Timestamp) -> Bool {
        if session.hasEnded(by: account) { return true }
        return idleDays > 0 && time >= session.lastUsedAt.advanced(by: .seconds(86_400 * idleDays))
    }
}
