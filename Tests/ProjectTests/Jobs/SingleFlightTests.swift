import Project
import TestKit
import Testing

@Suite("Work that several callers want", .timeLimit(.minutes(5)))
struct SingleFlightTests {
    private struct Failure: Error {}

    private let clock = TestClock()
    private let begun = LockedState(0)
    private let gate: AsyncStream<Void>
    private let opening: AsyncStream<Void>.Continuation

    init() { (gate, opening) = AsyncStream.makeStream() }

    private func work() async throws -> Int {
        let number = begun.withLock { begun in
            begun += 1
            return begun
        }
        for await _ in gate { break }
        return number
    }

    private func begins(_ count: Int) async { while begun.withLock({ $0 }) < count { await Task.yield() } }

    @Test("is done once for all who come meanwhile, also when the first of them is cancelled, and anew afterwards")
    func shared() async throws {
        let flights = SingleFlight<String, Int>(environment: clock.environment())
        let first = Task { try await flights.value(of: "a") { try await work() } }
        await begins(1)
        let others = (0..<10).map { _ in Task { try await flights.value(of: "a") { try await work() } } }
        first.cancel()
        #expect(flights.isUnderWay("a") && !flights.isUnderWay("b"))
        for _ in 0..<100 { await Task.yield() }
        opening.finish()
        for task in others { #expect(try await task.value == 1) }
        #expect(try await first.value == 1)
        #expect(!flights.isUnderWay("a"))
        #expect(try await flights.value(of: "a") { try await work() } == 2)
    }

    @Test("is begun anew once it is too old to be joined, or forgotten")
    func age() async throws {
        let flights = SingleFlight<String, Int>(environment: clock.environment(), shareable: .milliseconds(250))
        let first = Task { try await flights.value(of: "a") { try await work() } }
        await begins(1)
        clock.advance(by: .milliseconds(250))
        let second = Task { try await flights.value(of: "a") { try await work() } }
        await begins(2)
        flights.forgetAll()
        let third = Task { try await flights.value(of: "a") { try await work() } }
        await begins(3)
        opening.finish()
        #expect(try await (first.value, second.value, third.value) == (1, 2, 3))
    }

    @Test("throws to all who wait what it throws")
    func failure() async {
        let flights = SingleFlight<String, Int>(environment: clock.environment())
        await #expect(throws: Failure.self) { try await flights.value(of: "a") { throw Failure() } }
        #expect(!flights.isUnderWay("a"))
    }
}
