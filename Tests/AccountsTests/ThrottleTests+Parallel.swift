import Project
import Storage
import TestKit
import Testing

@testable import Accounts

// Passwords that are checked at the same time: guesses, and those of one user's apps.
extension ThrottleTests {
    @Test("of 200 guesses in one instant no more are evaluated than the limit lets through (THR-02)")
    func parallelGuesses() async throws {
        let bench = try await Bench(Self.limits())
        let evaluated = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<200 {
                group.addTask { try await bench.allowed(1) { try await bench.guess(from: "198.51.100.\(number)") } }
            }
            return try await group.reduce(0, +)
        }
        #expect(evaluated == 10)
    }

    @Test("guesses in one instant that are spread over two nodes get no further (THR-02, THR-10)")
    func parallelGuessesAcrossNodes() async throws {
        try await ThrowawayPostgreSQL.shared().withDatabase { uri in
            let nodes = try (0..<2).map { _ in
                try PostgreSQLDatabase(
                    uri: uri,
                    limits: .init(connections: 4, patience: .seconds(600)),
                    logger: LogCapture().logger()
                )
            }
            _ = try await Migrator.postgreSQL.migrate(nodes[0], now: 0)
            let limits = try await Self.limits()
            let benches = nodes.map { Bench(limits, on: $0) }
            let evaluated = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<200 {
                    let bench = benches[number % 2]
                    group.addTask { try await bench.allowed(1) { try await bench.guess(from: "198.51.100.\(number)") } }
                }
                return try await group.reduce(0, +)
            }
            #expect(evaluated == 10)
            for node in nodes { try await node.close() }
        }
    }

    /// How many passwords are checked at the same time, and the most there were.
    actor Checks {
        private(set) var most = 0
        private var running = 0

        func begin() {
            running += 1
            most = max(most, running)
        }

        func end() { running -= 1 }
    }

    /// Checks a password that takes a while.
    private static func check(_ bench: Bench, from address: String, isRight: Bool, _ checks: Checks) async throws {
        let attempt = try await bench.attempt(from: address)
        await checks.begin()
        try await Task.sleep(for: .milliseconds(20))
        await checks.end()
        try await isRight ? bench.throttle.succeeded(attempt) : bench.throttle.failed(attempt)
    }

    static func onTwoNodes(_ body: ([Bench]) async throws -> Void) async throws {
        try await ThrowawayPostgreSQL.shared().withDatabase { uri in
            let nodes = try (0..<2).map { _ in
                try PostgreSQLDatabase(
                    uri: uri,
                    limits: .init(connections: 4, patience: .seconds(600)),
                    logger: LogCapture().logger()
                )
            }
            _ = try await Migrator.postgreSQL.migrate(nodes[0], now: 0)
            let limits = try await Self.limits()
            try await body(nodes.map { Bench(limits, on: $0) })
            for node in nodes { try await node.close() }
        }
    }

    /// How many of 40 right passwords in one instant are accepted.
    private static func accepted(_ benches: [Bench], _ checks: Checks) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<40 {
                let bench = benches[number % benches.count]
                group.addTask {
                    try await bench.allowed(1) { try await check(bench, from: "192.0.2.\(number)", isRight: true, checks) }
                }
            }
            return try await group.reduce(0, +)
        }
    }

    @Test("right passwords in one instant are no guesses: those beyond the free ones wait, and ten at most are checked at once")
    func parallelRight() async throws {
        let (bench, checks) = (try await Bench(Self.limits()), Checks())
        #expect(try await Self.accepted([bench], checks) == 40)
        #expect(await checks.most <= 10)
        // Nothing is left of them.
        #expect(try await bench.allowed(50) { try await bench.guess(from: "192.0.2.1") } == 10)
    }

    @Test("right passwords in one instant on two nodes wait for those of the other node, too")
    func parallelRightAcrossNodes() async throws {
        try await Self.onTwoNodes { benches async throws in
            let checks = Checks()
            #expect(try await Self.accepted(benches, checks) == 40)
            #expect(await checks.most <= 10)
        }
    }

    @Test("a right password forgives the failures, but not the guesses that are still being checked (THR-02)")
    func openGuesses() async throws {
        let bench = try await Bench(Self.limits())
        var guesses: [GuessAttempt] = []
        for _ in 0..<9 { guesses.append(try await bench.attempt(from: "192.0.2.1")) }
        try await bench.throttle.succeeded(try await bench.attempt(from: "192.0.2.2"))
        guesses.append(try await bench.attempt(from: "192.0.2.1"))
        // Ten are being checked again, so the next waits for one of them.
        let next = Task { try await bench.refusal { try await bench.guess(from: "192.0.2.3") } }
        try await eventually { bench.throttle.lines.count == 1 }
        for guess in guesses { try await bench.throttle.failed(guess) }
        #expect(try await next.value == 1)
    }

    @Test("nobody waits for the passwords of a node that died, and a crowd does not wait without end")
    func lostTries() async throws {
        let bench = try await Bench(Self.limits())
        for _ in 0..<10 { _ = try await bench.attempt(from: "192.0.2.1") }
        try await withThrowingTaskGroup(of: Int?.self) { group in
            for number in 0...TryLines.longest {
                group.addTask { try await bench.refusal { _ = try await bench.attempt(from: "198.51.100.\(number)") } }
            }
            // The last one found no place.
            let first = try await group.next()
            #expect(first == 1)
            group.cancelAll()
            while let result = await group.nextResult() {
                if case .failure(let error) = result {
                    #expect(error is CancellationError)
                } else {
                    Issue.record("one did not wait")
                }
            }
        }
        #expect(bench.throttle.lines.count == 0)
        bench.clock.advance(by: .seconds(61))
        #expect(try await bench.refusal { try await bench.guess(from: "192.0.2.1") } == nil)
        #expect(try await bench.refusal { try await bench.guess(from: "192.0.2.1") } == 2)
    }
}
