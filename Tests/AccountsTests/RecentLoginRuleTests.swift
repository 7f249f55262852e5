import Project
import Storage
import TestKit
import Testing

@testable import Accounts
@testable import Tokens

@Suite("The rule of recent sign-ins")
struct RecentLoginRuleTests {
    private let now = Timestamp(seconds: 10_000)

    private func rule(_ mode: ModeRules = .production, link: Int = 0) -> RecentLoginRule {
        RecentLoginRule(window: .seconds(300), linkWindow: link == 0 ? nil : .seconds(link), mode: mode)
    }

    /// The ID token of a sign-in so many seconds ago, issued now or with the sign-in.
    private func token(age: Int64, isFirst: Bool = true, factor: String? = nil, by actor: JSONValue = [:]) throws
        -> VerifiedIDToken
    {
        let authTime = now.seconds - age
        var firebase: JSONValue = ["sign_in_provider": "password", "session": "s"]
        if let factor {
            firebase["sign_in_second_factor"] = "totp"
            firebase["second_factor_identifier"] = .string(factor)
        }
        let claims: JSONValue = [
            "sub": "u", "user_id": "u", "iat": .integer(isFirst ? authTime : now.seconds), "auth_time": .integer(authTime),
            "exp": .integer(now.seconds + 3600), "firebase": firebase,
        ]
        return try #require(VerifiedIDToken(claims: claims.merging(actor), projectID: "p"))
    }

    private func account(factor: String? = nil, enrolledWith token: VerifiedIDToken? = nil) -> AccountRecord {
        var account = AccountRecord(localID: "u", createdAt: Timestamp(seconds: 1))
        account.email = "a@b.c"
        if let factor {
            let kind = SecondFactor.Kind.phone(number: "+16505550101")
            account.secondFactors = [SecondFactor(enrollmentID: factor, displayName: nil, enrolledAt: now, kind: kind)]
            account.secondFactors[0].enrollingToken = token?.mark
        }
        return account
    }

    private func refusal(_ check: () throws -> Void) -> ErrorCode? {
        do { try check() } catch { return (error as? APIError)?.code }
        return nil
    }

    private let mfa = MFAPolicy(config: nil, isOnByDefault: true)

    @Test("counts the window's last second, and is off in development", arguments: [(300, false), (301, true)])
    func window(age: Int64, isOld: Bool) throws {
        let token = try token(age: age)
        let (production, development) = (rule(), rule(.development))
        #expect(refusal { try production.check(token, at: now) } == (isOld ? .credentialTooOldLoginAgain : nil))
        #expect(refusal { try development.check(token, at: now) } == nil)
    }

    @Test("demands for ways in the factor that the account has, and for what ends factors also the one it has just got")
    func factors() throws {
        let rule = rule()
        let (plain, shown, stale) = (try token(age: 1), try token(age: 1, factor: "f"), try token(age: 1, factor: "gone"))
        for (token, account, isRefused) in [
            (plain, account(), false), (plain, account(factor: "f"), true), (shown, account(factor: "f"), false),
            (stale, account(factor: "f"), true), (stale, account(), false),
        ] {
            let expected: ErrorCode? = isRefused ? .credentialTooOldLoginAgain : nil
            #expect(refusal { try rule.checkSensitive(token, account, mfa, at: now) } == expected)
            #expect(refusal { try rule.checkUnguarded(token, account) } == expected)
            #expect(refusal { try rule.checkSecondFactor(token, account, mfa, in: nil) } == expected)
        }
        // Who enrolled it with this very ID token of the sign-in may go on with it, but not with a refreshed one.
        let own = account(factor: "f", enrolledWith: plain)
        #expect(refusal { try rule.checkSecondFactor(plain, own, mfa, in: nil) } == nil)
        let renewed = try token(age: 1, isFirst: false)
        #expect(refusal { try rule.checkSecondFactor(renewed, own, mfa, in: nil) } == .credentialTooOldLoginAgain)
        #expect(refusal { try rule.checkSensitive(plain, own, mfa, at: now) } == .credentialTooOldLoginAgain)
        // A project without second factors asks for none, but for a way in that would never ask for one.
        let off = MFAPolicy(config: nil, isOnByDefault: false)
        #expect(refusal { try rule.checkSensitive(plain, account(factor: "f"), off, at: now) } == nil)
        #expect(refusal { try rule.checkSecondFactor(plain, account(factor: "f"), off, in: nil) } == nil)
        #expect(refusal { try rule.checkUnguarded(plain, account(factor: "f")) } == .credentialTooOldLoginAgain)
    }

    @Test("asks for linking where the operator wants it, or where a way in is replaced; anonymous accounts are exempt (LNK-06)")
    func linking() async throws {
        let database = try SQLiteDatabase(.memory, readers: 1, logger: LogCapture().logger())
        try await Migrator.sqlite.migrate(database, now: 0)
        var anonymous = AccountRecord(localID: "u", createdAt: Timestamp(seconds: 1))
        anonymous.email = nil
        let accounts = [account(), anonymous]
        let old = try token(age: 1000)
        let rules = [rule(), rule(link: 60), rule(.development, link: 60)]
        let refusals: [[ErrorCode?]] = try await database.read { transaction in
            rules.flatMap { rule in
                accounts.map { account in
                    [false, true].map { replaces in
                        refusal {
                            try rule.checkLink(old, to: account, replaces: replaces, mfa, at: now, in: transaction)
                        }
                    }
                }
            }
        }
        let tooOld = ErrorCode.credentialTooOldLoginAgain
        #expect(refusals == [[nil, tooOld], [nil, tooOld], [tooOld, tooOld], [nil, tooOld], [nil, nil], [nil, nil]])
        try await database.close()
    }
}
