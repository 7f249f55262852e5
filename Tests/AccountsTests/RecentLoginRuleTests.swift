import Project
import Storage
import TestKit
import Testing
import Tokens

@testable import Accounts

@Suite("The rule of recent sign-ins")
struct RecentLoginRuleTests {
    private typealias Stage = SessionRuleStage

    private static let mfa = MFAPolicy(config: nil, isOnByDefault: true)

    private let rule = RecentLoginRule(window: .seconds(300), linkWindow: .seconds(600), mode: .production)

    private func code(_ body: () throws -> Void) -> ErrorCode? {
        do {
            try body()
            return nil
        } catch {
            return (error as? APIError)?.code
        }
    }

    private func factor(_ id: String, at time: Timestamp) -> SecondFactor {
        SecondFactor(enrollmentID: id, displayName: nil, enrolledAt: time, kind: .phone(number: "+16505550101"))
    }

    @Test("accepts a sign-in of the last five minutes and refuses an older one; development accepts both")
    func window() async throws {
        try await Stage.running { stage in
            let token = try stage.token(try await stage.signIn(try await stage.account("ann")))
            let signedIn = Timestamp(seconds: token.authTime)
            let development = RecentLoginRule(window: .seconds(300), linkWindow: nil, mode: .development)
            for (seconds, refusal) in [(0, nil), (300, nil), (301, .credentialTooOldLoginAgain)] as [(Int, ErrorCode?)] {
                let time = signedIn.advanced(by: .seconds(seconds))
                let codes = [rule, development].map { rule in code { try rule.check(token, at: time) } }
                #expect(codes == [refusal, nil], "\(seconds) s")
            }
        }
    }

    @Test("demands the second factor of an account, also from a session that is older than the factor")
    func secondFactors() async throws {
        try await Stage.running { stage in
            var account = try await stage.account("ann")
            let (token, time) = (try stage.token(try await stage.signIn(account)), stage.clock.now)
            func codes(_ account: AccountRecord) -> [ErrorCode?] {
                [
                    code { try rule.checkUnguarded(token, account) },
                    code { try rule.checkSensitive(token, account, Self.mfa, at: time) },
                    code { try rule.checkSecondFactor(token, account, Self.mfa, in: nil) },
                ]
            }
            #expect(codes(account) == [nil, nil, nil])
            account.secondFactors = [factor("f", at: time)]
            #expect(codes(account) == Array(repeating: .credentialTooOldLoginAgain, count: 3))
        }
    }

    @Test("lets whoever signed in within ten minutes link, and an anonymous account at any time, but not once it has a password")
    func links() async throws {
        try await Stage.running { stage in
            let anonymous = try await stage.account("anonymous")
            let known = try await stage.account("known") { $0.passwordHash = "x" }
            for (account, seconds, refusal) in [
                (anonymous, 601, nil), (known, 600, nil), (known, 601, .credentialTooOldLoginAgain),
            ] as [(AccountRecord, Int, ErrorCode?)] {
                let token = try stage.token(try await stage.signIn(account))
                let time = Timestamp(seconds: token.authTime).advanced(by: .seconds(seconds))
                let rule = rule
                let error = try await stage.store.read { transaction -> ErrorCode? in
                    do {
                        try rule.checkLink(token, to: account, replaces: false, Self.mfa, at: time, in: transaction)
                        return nil
                    } catch let error as APIError {
                        return error.code
                    }
                }
                #expect(error == refusal, "\(account.localID) after \(seconds) s")
            }
        }
    }
}
