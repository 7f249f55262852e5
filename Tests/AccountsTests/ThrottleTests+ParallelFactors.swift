import Project
import Storage
import TestKit
import Testing

@testable import Accounts

// Codes of second factors and tries of operators that are checked at the same time.
extension ThrottleTests {
    /// A kind of try, with how it is counted, and how a right and a wrong one end.
    enum Kind: CaseIterable, Sendable {
        case secondFactor
        case operatorSignIn
        case operatorConfirmation

        func evaluate(_ bench: Bench, from address: String, isRight: Bool, _ checks: Checks) async throws {
            let (throttle, scope) = (bench.throttle, Scope(projectID: "p"))
            switch self {
            case .secondFactor:
                let attempt = try await bench.code(from: address)
                try await checks.run()
                try await isRight ? throttle.succeeded(attempt) : throttle.failed(attempt)
            case .operatorSignIn, .operatorConfirmation:
                let attempt =
                    self == .operatorSignIn
                    ? try await throttle.operatorAttempt(email: "o@example.com", address: address, scope)
                    : try await throttle.operatorAttempt(of: Self.current, address: address, scope)
                try await checks.run()
                try await isRight ? throttle.succeeded(attempt) : throttle.failed(attempt)
            }
        }

        private static let current = ConsoleOperator(
            operatorID: "o",
            email: "o@example.com",
            role: .owner,
            tenantID: nil,
            formToken: "",
            isConfirmed: true,
            sessionHash: [1],
            protectedClaim: "",
            request: CallContext(scope: Scope(projectID: "p"))
        )
    }

    /// How many of 20 tries in one instant are evaluated.
    private static func evaluated(_ kind: Kind, _ benches: [Bench], isRight: Bool, _ checks: Checks) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<20 {
                let bench = benches[number % benches.count]
                group.addTask {
                    do {
                        try await kind.evaluate(bench, from: "192.0.2.\(number)", isRight: isRight, checks)
                        return 1
                    } catch OperatorError.tooManyAttempts { return 0 } catch let error as APIError {
                        #expect(error.code == .tooManyAttemptsTryLater)
                        return 0
                    }
                }
            }
            return try await group.reduce(0, +)
        }
    }

    @Test(
        "right codes in one instant are no guesses: those beyond the free ones wait, and five at most are checked at once",
        arguments: Kind.allCases
    )
    func parallelRightCodes(kind: Kind) async throws {
        let (bench, checks) = (try await Bench(Self.limits()), Checks())
        #expect(try await Self.evaluated(kind, [bench], isRight: true, checks) == 20)
        #expect(await checks.most <= 5)
        let left = try await bench.database.read { transaction in
            try transaction.query("SELECT bucket FROM throttles WHERE count > 0 AND bucket NOT LIKE 'usual%'").count
        }
        #expect(left == 0)
    }

    @Test("right codes in one instant on two nodes wait for those of the other node, too", arguments: Kind.allCases)
    func parallelRightCodesAcrossNodes(kind: Kind) async throws {
        try await Self.onTwoNodes { benches async throws in
            let checks = Checks()
            #expect(try await Self.evaluated(kind, benches, isRight: true, checks) == 20)
            #expect(await checks.most <= 5)
        }
    }

    @Test("of 20 wrong codes in one instant five are evaluated (MFA-04)", arguments: Kind.allCases)
    func parallelWrongCodes(kind: Kind) async throws {
        let (bench, checks) = (try await Bench(Self.limits()), Checks())
        #expect(try await Self.evaluated(kind, [bench], isRight: false, checks) == 5)
        #expect(await checks.most <= 5)
    }

    @Test("a right code forgives the wrong ones, but not the guesses that are still being checked (MFA-04)")
    func openCodes() async throws {
        let bench = try await Bench(Self.limits())
        var guesses: [GuessAttempt] = []
        for _ in 0..<4 { guesses.append(try await bench.code(from: "192.0.2.1")) }
        try await bench.throttle.succeeded(try await bench.code(from: "192.0.2.2"))
        guesses.append(try await bench.code(from: "192.0.2.1"))
        let next = Task { try await bench.refusal { try await bench.wrongCode(from: "192.0.2.3") } }
        try await eventually { bench.throttle.lines.count == 1 }
        for guess in guesses { try await bench.throttle.failed(guess) }
        #expect(try await next.value == 30)
    }
}

extension ThrottleTests.Checks {
    /// A check that takes a while.
    func run() async throws {
        begin()
        try await Task.sleep(for: .milliseconds(20))
        end()
    }
}

extension ThrottleTests.Bench {
    func wrongCode(from address: String = "192.0.2.1") async throws {
        try await throttle.failed(try await code(from: address))
    }
}
