import Project
import Storage
import TestKit
import Testing
import Tokens

@testable import Accounts

@Suite("The mint of sessions")
struct SessionMintTests {
    private typealias Stage = SessionRuleStage

    private func liveSessions(_ stage: SessionRuleStage, of account: AccountRecord) async throws -> [String] {
        try await stage.store.read { transaction in
            try transaction.liveSessions(Stage.scope, localID: account.localID).map(\.sessionID)
        }
    }

    @Test("ends the session that was used longest ago when a user has as many as are allowed, and no other user's")
    func surplus() async throws {
        let stage = try await Stage(sessionsPerUser: 2)
        let (ann, bob) = (try await stage.account("ann"), try await stage.account("bob"))
        _ = try await stage.signIn(bob)
        var begun: [String] = []
        for _ in 0..<3 {
            stage.clock.advance(by: .seconds(1))
            let token = try stage.token(try await stage.signIn(ann))
            guard case .session(let id) = token.life else {
                Issue.record("the token names no session")
                return
            }
            begun.append(id)
        }
        #expect(try await liveSessions(stage, of: ann) == [begun[2], begun[1]])
        #expect(try await liveSessions(stage, of: bob).count == 1)
    }

    @Test("begins no session, and issues no token, before the account's tokens are valid by a faster clock of another node")
    func validSince() async throws {
        let stage = try await Stage()
        let ahead = stage.clock.now.seconds + 60
        let account = try await stage.account("ann") { $0.validSince = ahead }
        let tokens = try await stage.signIn(account)
        stage.clock.advance(by: .seconds(60))
        let token = try stage.token(tokens)
        #expect(token.authTime == ahead)
        #expect(token.issuedAt == ahead)
        let found = try await stage.store.read { try IDTokenRules.authorizedAccount(of: token, in: $0).localID }
        #expect(found == "ann")
    }

    @Test("says for how long its tokens are valid")
    func lifetime() async throws {
        let stage = try await Stage()
        let tokens = try await stage.signIn(try await stage.account("ann"))
        #expect(tokens.expiresIn == 3600)
        stage.clock.advance(by: .seconds(3600 + 600))
        #expect(try stage.token(tokens).isExpired)
    }
}
