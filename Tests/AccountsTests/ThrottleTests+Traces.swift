import Project
import Settings
import Storage
import TestKit
import Testing

@testable import Accounts

// What attempts leave behind, and what leaves nothing.
extension ThrottleTests {
    @Test("an attempt that came to nothing was none")
    func abandoned() async throws {
        var limits = try await Self.limits()
        limits.password.failuresPerAddressPerHour = 10
        let bench = try await Bench(limits)
        for _ in 0..<30 { try await bench.throttle.abandoned(try await bench.attempt(from: "192.0.2.1")) }
        #expect(try await bench.allowed(11) { try await bench.guess(from: "192.0.2.1") } == 10)
    }

    @Test("a second factor's code that came to nothing was none; wrong ones wait")
    func abandonedSecondFactor() async throws {
        let bench = try await Bench(Self.limits())
        for _ in 0..<4 { try await bench.throttle.abandoned(try await bench.code()) }
        for _ in 0..<5 { _ = try await bench.code() }
        #expect(try await bench.allowed(1) { _ = try await bench.code() } == 0)
        bench.clock.advance(by: .seconds(30))
        try await bench.throttle.succeeded(try await bench.code())
        #expect(try await bench.allowed(4) { _ = try await bench.code() } == 4)
    }

    @Test("a flood of keys leaves nothing behind but those that still count (THR-12)")
    func flood() async throws {
        let bench = try await Bench(Self.limits())
        for number in 0..<600 { try await bench.guess("a\(number)@example.com", from: "192.0.2.1") }
        bench.clock.advance(by: .seconds(86_400 * 6))
        #expect(try await bench.allowed(11) { try await bench.guess(from: "192.0.2.1") } == 10)
        // Ended entries stay for as long as clocks may differ.
        bench.clock.advance(by: .seconds(86_400 + 61))
        let cleanUp = ExpiredRows(
            database: bench.database,
            environment: bench.clock.environment(),
            retention: .init(endedSessions: .zero, audit: try .everyClass(.zero), expiredCodes: .zero)
        )
        #expect(try await cleanUp.remove() == 601)
        #expect(try await bench.rows() == 1)
        #expect(try await bench.allowed(11) { try await bench.guess(from: "192.0.2.1") } == 1)
    }

    @Test("development throttles nothing and counts nothing")
    func development() async throws {
        let bench = try await Bench(Self.limits(1), mode: .development)
        for _ in 0..<20 {
            try await bench.signUp(from: "192.0.2.1")
            try await bench.mail(to: "a@example.com", from: "192.0.2.1")
            try await bench.signIn(from: "192.0.2.1")
            try await bench.throttle.abandoned(try await bench.attempt(from: "192.0.2.1"))
        }
        #expect(try await bench.rows() == 0)
    }
}
