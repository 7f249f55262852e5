import Project
import Storage
import TestKit
import Tokens

@testable import Accounts

/// A store in memory, a clock, and the rules of sessions with what they need and nothing else.
struct SessionRuleStage {
    static let scope = Scope(projectID: "p")

    let clock = TestClock()
    let store: SQLiteDatabase
    let mint: SessionMint
    let issuer: TokenIssuer

    /// - Parameter body: Gets the stage; the store is closed after it.
    static func running(sessionsPerUser: Int = 10, _ body: (SessionRuleStage) async throws -> Void) async throws {
        let stage = try await SessionRuleStage(sessionsPerUser: sessionsPerUser)
        try await body(stage)
        try await stage.store.close()
    }

    private init(sessionsPerUser: Int) async throws {
        store = try SQLiteDatabase(.memory, readers: 1, logger: LogCapture().logger())
        try await Migrator.sqlite.migrate(store, now: 0)
        let environment = clock.environment()
        let keyRing = KeyRing(
            database: store,
            sealer: TokenSealer(masterKey: try MasterKey(bytes: Array(1...32)), environment: environment),
            environment: environment,
            purpose: .idTokens(of: .production),
            tokenLifetime: .seconds(3600)
        )
        try await keyRing.load()
        issuer = TokenIssuer(
            keyRing: keyRing,
            environment: environment,
            form: .signed,
            issuer: nil,
            lifetimeSeconds: 3600,
            mode: .production
        )
        mint = SessionMint(
            environment: environment,
            mode: .production,
            issuer: issuer,
            dailyCounts: DailyCounts(database: store, environment: environment),
            sessionsPerUser: sessionsPerUser
        )
    }

    /// Stores an account.
    func account(_ id: String, _ change: (inout AccountRecord) -> Void = { _ in }) async throws -> AccountRecord {
        var account = AccountRecord(localID: id, createdAt: clock.now)
        change(&account)
        let stored = account
        try await store.write { try $0.insertAccount(Self.scope, stored) }
        return stored
    }

    /// Signs in: begins a session, and mints its tokens.
    func signIn(_ account: AccountRecord, provider: String = "password") async throws -> IssuedTokens {
        let (draft, time, mint) = (mint.draft(), clock.now, mint)
        let session = try await store.write {
            try mint.begin(
                draft,
                of: account,
                SessionMint.Terms(provider: provider),
                context: CallContext(scope: Self.scope),
                at: time,
                in: $0
            )
        }
        let subject = IDTokenSubject(scope: Self.scope, account: account, identities: [], session: session)
        return try mint.tokens(subject, refreshToken: draft.refreshToken, at: time)
    }

    /// Reads the ID token of a sign-in.
    func token(_ tokens: IssuedTokens) throws -> VerifiedIDToken {
        try issuer.verify(tokens.idToken, projectID: Self.scope.projectID)
    }
}
