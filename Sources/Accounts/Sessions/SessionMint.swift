package import Project
import Settings
package import Storage
package import Tokens

/// The tokens that answer a sign-in.
package struct IssuedTokens: Sendable {
    package let idToken: String
    package let refreshToken: String
    /// The lifetime of the ID token in seconds.
    package let expiresIn: Int64
}

/// Begins sessions and mints their tokens. It is the only caller of `TokenIssuer.mint`.
package struct SessionMint: Sendable {
    let environment: ServerEnvironment
    let mode: ModeRules
    let issuer: TokenIssuer
    let dailyCounts: DailyCounts
    let sessionsPerUser: Int

    private static let maximumAgentBytes = 256

    private static let day = Duration.seconds(86_400)

    /// The random values of a session, drawn before the transaction, which may run twice.
    package struct Draft: Sendable {
        let refreshToken: RefreshToken
        let sessionID: String
    }

    /// The terms of a session: how its user signed in.
    package struct Terms: Sendable {
        /// `firebase.sign_in_provider` of its tokens.
        var provider: String
        /// `firebase.sign_in_attributes`.
        var attributes: JSONValue?
        /// The claims of this session alone, as a JSON object's text.
        var claims: String?
        /// The time of the sign-in in seconds; `nil` for the session's beginning.
        var authTime: Int64?
        /// The second factor that the user proved.
        var secondFactor: UsedSecondFactor?

        /// The terms of a new sign-in.
        init(provider: String) { self.provider = provider }

        /// The terms of a session that takes the place of a token's session.
        init(continuing token: VerifiedIDToken, claims: String?) {
            provider = token.signInProvider
            attributes = token.signInAttributes
            self.claims = claims
            authTime = token.authTime
            secondFactor = token.secondFactor
        }
    }

    /// Draws the random values of a session.
    package func draft() -> Draft {
        Draft(refreshToken: RefreshToken(environment), sessionID: environment.randomText(length: 20))
    }

    /// Stores a session, and ends the account's least recently used sessions beyond the limit.
    ///
    /// The session never begins before the account's `validSince`, which a node with a faster clock may have set
    /// (threat case OPS-11).
    package func begin(
        _ draft: Draft,
        of account: AccountRecord,
        _ terms: Terms,
        context: CallContext,
        at time: Timestamp,
        in transaction: Transaction
    ) throws -> SessionRecord {
        let begin = time.notBefore(seconds: account.validSince)
        var session = SessionRecord(
            tokenHash: draft.refreshToken.hash,
            scope: context.scope,
            localID: account.localID,
            sessionID: draft.sessionID,
            signInProvider: terms.provider,
            authTime: terms.authTime ?? begin.seconds,
            createdAt: begin
        )
        session.signInAttributes = terms.attributes?.text
        session.claims = terms.claims
        session.secondFactor = terms.secondFactor
        session.userAgent = context.userAgent.map { $0.cut(toBytes: Self.maximumAgentBytes) }
        // Before the new session is there, so that it cannot be the one that ends.
        let surplus = try transaction.endSurplusSessions(
            context.scope,
            localID: account.localID,
            keep: sessionsPerUser - 1,
            at: time
        )
        guard mode.refreshTokensEndWithSessions else {
            try transaction.insertSession(session)
            return session
        }
        try surplus.forEach { try forgetBeyondLimit($0, of: account, context.scope, at: time, in: transaction) }
        try transaction.insertSession(session)
        return session
    }

    // The first ones of a day stay, so that their refresh tokens get the right error.
    private func forgetBeyondLimit(
        _ tokenHash: [UInt8],
        of account: AccountRecord,
        _ scope: Scope,
        at time: Timestamp,
        in transaction: Transaction
    ) throws {
        let bucket = AccountBucket.surplusSessions(of: account.localID)
        let now = environment.steady(time)
        let ended = try transaction.countThrottle(scope, bucket: bucket, at: now, window: .fixed(Self.day))
        if ended.count > sessionsPerUser { try transaction.deleteSession(tokenHash: tokenHash) }
    }

    /// Mints the tokens of a stored session. Signing is work for the processor: it happens after the transaction.
    ///
    /// A token is never issued before its session began, its user signed in, or its account's tokens became valid, even if
    /// another node's clock set these times.
    package func tokens(
        _ subject: IDTokenSubject,
        refreshToken: RefreshToken,
        at time: Timestamp,
        isRefresh: Bool = false
    ) throws -> IssuedTokens {
        environment.count(isRefresh ? "postern_session_refreshes_total" : "postern_sessions_begun_total")
        if isRefresh {
            dailyCounts.note(.refreshes, in: subject.scope)
            let day = DailyCounts.day(of: time)
            let lastSeen = [subject.session.lastUsedAt, subject.account.lastLoginAt].compactMap(\.self)
            if lastSeen.allSatisfy({ DailyCounts.day(of: $0) < day }) { dailyCounts.note(.active, in: subject.scope) }
        }
        let issuedAt = time.notBefore(subject.session.createdAt).notBefore(seconds: subject.session.authTime)
            .notBefore(seconds: subject.account.validSince)
        return IssuedTokens(
            idToken: try issuer.mint(subject, issuedAt: issuedAt.seconds),
            refreshToken: refreshToken.text,
            expiresIn: subject.lifetime(from: issuedAt.seconds, atMost: issuer.lifetimeSeconds)
        )
    }
}
