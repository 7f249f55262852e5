import Project
import Storage
import TestKit
import Testing

@testable import Accounts

@Suite("What follows once a sign-in is stored")
struct SignInStepTests {
    private typealias NextStep = SignInPipeline.SignInTransaction.NextStep

    private let password = SignInProof(method: .password(.init(localID: "u", storedText: "", rehashedText: nil)))
    private let phone = SignInProof(method: .phone(.init(number: "+16505550101")))
    private let mfa = MFAPolicy(config: nil, isOnByDefault: true)

    private func account(hasFactor: Bool = false, isDisabled: Bool = false) -> AccountRecord {
        let time = Timestamp(seconds: 1)
        var account = AccountRecord(localID: "u", createdAt: time)
        account.isDisabled = isDisabled
        if hasFactor {
            let kind = SecondFactor.Kind.phone(number: "+16505550102")
            account.secondFactors = [SecondFactor(enrollmentID: "f", displayName: nil, enrolledAt: time, kind: kind)]
        }
        return account
    }

    private func next(
        _ account: AccountRecord,
        _ proof: SignInProof,
        beforeSignIn: SignInPipeline.SignInTransaction.Asked = .never
    ) -> NextStep {
        NextStep(after: account, proof, mfa, beforeSignIn: beforeSignIn)
    }

    @Test("without a factor, a function or a block it is the session")
    func session() {
        #expect(next(account(), password) == .session)
        let answer = BlockingFunctionAnswer(mode: .production)
        #expect(next(account(), password, beforeSignIn: .answered(answer)) == .session)
    }

    @Test("a second factor comes before the function, which is not asked about half a sign-in")
    func secondFactor() {
        let protected = account(hasFactor: true)
        #expect(next(protected, password, beforeSignIn: .later) == .secondFactor)
        #expect(next(account(), password, beforeSignIn: .later) == .function)
        let off = MFAPolicy(config: nil, isOnByDefault: false)
        #expect(NextStep(after: protected, password, off, beforeSignIn: .never) == .session)
    }

    @Test("a proof that is itself enough demands no second factor")
    func enough() {
        #expect(next(account(hasFactor: true), phone) == .session)
    }

    @Test("a user whom a function has disabled is refused before anything else")
    func disabled() {
        #expect(next(account(hasFactor: true, isDisabled: true), password, beforeSignIn: .later) == .refusal)
        #expect(next(account(isDisabled: true), phone) == .refusal)
    }

    @Test("a refusal keeps its code, and a demand that a method does not make is no session")
    func outcomes() throws {
        let refused = SignInOutcome<Int>.refused(.userDisabled).map { _ in AcceptedSignIn?.none }
        guard case .refused(.userDisabled, _) = refused else { throw Wrong() }
        let outcomes: [(SignInOutcome<AcceptedSignIn>, ErrorCode)] = [
            (.refused(.emailExists), .emailExists),
            (.needsConfirmation(localID: "u", providers: []), .operationNotAllowed),
        ]
        for (outcome, code) in outcomes {
            let error = #expect(throws: APIError.self) { try outcome.accepted() }
            #expect(error?.code == code)
        }
        let pending = AcceptedSignIn.Pending(account: account(), isEmailRecycled: false, credential: "c")
        let error = #expect(throws: APIError.self) { try SignInOutcome.accepted(.secondFactorPending(pending)).session() }
        #expect(error?.code == .operationNotAllowed)
    }

    private struct Wrong: Error {}
}

@Suite("A rehearsed transaction")
struct RehearsalTests {
    private let scope = Scope(projectID: "p")
    private let account = AccountRecord(localID: "u", createdAt: Timestamp(seconds: 1))

    private func store() async throws -> any Database {
        let database = try SQLiteDatabase(.memory, readers: 1, logger: LogCapture().logger())
        _ = try await Migrator.sqlite.migrate(database, now: 0)
        return database
    }

    @Test("returns what the real one would, and changes nothing")
    func rolledBack() async throws {
        let database = try await store()
        let (scope, account) = (scope, account)
        let isThere = try await database.rehearse { transaction in
            try transaction.insertAccount(scope, account)
            return try transaction.account(scope, localID: "u") != nil
        }
        #expect(isThere)
        #expect(try await database.read { try $0.account(scope, localID: "u") } == nil)
    }

    @Test("refuses as the real one would")
    func refused() async throws {
        let database = try await store()
        let error = await #expect(throws: APIError.self) {
            try await database.rehearse { _ -> Int in throw APIError(.userDisabled) }
        }
        #expect(error?.code == .userDisabled)
    }
}
