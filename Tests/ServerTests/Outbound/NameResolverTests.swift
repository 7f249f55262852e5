import Dispatch
import Foundation
import Project
import Settings
import TestKit
import Testing

@testable import Server

@Suite("A look-up of a name", .timeLimit(.minutes(5)))
struct NameResolverTests {
    private static let address = IPAddress(bytes: [93, 184, 216, 34]).map { [$0] } ?? []

    /// A name server that answers when it is told to.
    private final class NameServer: Sendable {
        /// Behaves in a way; `nil` is to say nothing until ``gate`` opens, once for each look-up.
        let answer: LockedState<Result<[IPAddress], any Error>?>
        let asked = LockedState<[String]>([])
        let gate = DispatchSemaphore(value: 0)
        private let start = ContinuousClock.now
        private let passed = LockedState(Duration.zero)

        init(_ answer: Result<[IPAddress], any Error>?) { self.answer = LockedState(answer) }

        var count: Int { asked.withLock { $0.count } }

        func pass(_ time: Duration) { passed.withLock { $0 += time } }

        func resolver(patience: Duration = .milliseconds(500)) -> NameResolver {
            NameResolver(patience: patience, now: { self.start + self.passed.withLock { $0 } }) { name in
                self.asked.withLock { $0.append(name) }
                if let answer = self.answer.withLock({ $0 }) { return try answer.get() }
                self.gate.wait()
                return NameResolverTests.address
            }
        }
    }

    private func timesOut(_ resolver: NameResolver, _ name: String) async {
        await #expect(throws: OutboundError.timedOut) {
            try await withDeadline(.milliseconds(50)) { try await resolver.addresses(of: name) }
        }
    }

    @Test("that hangs is the only one of its host: who gives up begins no other, and who waits gets its late answer")
    func joined() async throws {
        let server = NameServer(nil)
        let resolver = server.resolver()
        let early = Task { try await resolver.addresses(of: "slow.example") }
        try await eventually { server.count == 1 }
        for _ in 0..<5 { await timesOut(resolver, "Slow.example") }
        early.cancel()
        await #expect(throws: OutboundError.timedOut) { try await early.value }
        let late = Task { try await resolver.addresses(of: "slow.example") }
        let other = Task { try await resolver.addresses(of: "slow.example") }
        await timesOut(resolver, "slow.example")
        #expect(server.count == 1)
        server.gate.signal()
        #expect(try await late.value == Self.address)
        #expect(try await other.value == Self.address)
        #expect(try await resolver.addresses(of: "slow.example") == Self.address)
        #expect(server.count == 1)
    }

    @Test("that hangs keeps no other domain waiting; below its own two go on at a time, and none that nobody waits for")
    func domains() async throws {
        let server = NameServer(nil)
        let resolver = server.resolver()
        let slow = ["a", "b", "c", "d"].map { name in Task { try await resolver.addresses(of: "\(name).slow.example") } }
        try await eventually { server.count == 2 }
        await timesOut(resolver, "e.slow.example")
        server.answer.withLock { $0 = .success(Self.address) }
        #expect(try await resolver.addresses(of: "a.other.example") == Self.address)
        #expect(server.count == 3)
        for _ in 0..<2 { server.gate.signal() }
        for task in slow { #expect(try await task.value == Self.address) }
        let asked = server.asked.withLock { Set($0) }
        #expect(asked == ["a.slow.example", "b.slow.example", "c.slow.example", "d.slow.example", "a.other.example"])
    }

    @Test("is refused where too many of its domain wait already, and not where others do")
    func line() async throws {
        let server = NameServer(nil)
        let resolver = server.resolver()
        let refused = LockedState(0)
        let slow = (0..<40).map { number in
            Task {
                do {
                    _ = try await resolver.addresses(of: "\(number).slow.example")
                } catch OutboundError.unreachable {
                    refused.withLock { $0 += 1 }
                }
            }
        }
        // Two have a thread, 32 wait.
        try await eventually { refused.withLock { $0 } == 6 }
        server.answer.withLock { $0 = .success(Self.address) }
        #expect(try await resolver.addresses(of: "x.other.example") == Self.address)
        for _ in 0..<2 { server.gate.signal() }
        for task in slow { try await task.value }
    }

    @Test("is spared for half a minute, and for five minutes an older answer helps where no name server does")
    func kept() async throws {
        let server = NameServer(.success(Self.address))
        let resolver = server.resolver()
        for _ in 0..<3 { #expect(try await resolver.addresses(of: "kept.example") == Self.address) }
        #expect(server.count == 1)
        server.pass(.seconds(31))
        #expect(try await resolver.addresses(of: "kept.example") == Self.address)
        #expect(server.count == 2)

        server.pass(.seconds(250))
        server.answer.withLock { $0 = .failure(NameResolver.NoAnswer()) }
        #expect(try await resolver.addresses(of: "kept.example") == Self.address)
        #expect(server.count == 3)
        server.answer.withLock { $0 = nil }
        #expect(try await resolver.addresses(of: "kept.example") == Self.address)
        try await eventually { server.count == 4 }
        // The look-up goes on, and what is too old helps no more.
        server.pass(.seconds(51))
        await timesOut(resolver, "kept.example")
        #expect(server.count == 4)
        server.gate.signal()
    }

    @Test("that finds that there is no such name takes the older answer away")
    func gone() async throws {
        let server = NameServer(.success(Self.address))
        let resolver = server.resolver()
        for answer: Result<[IPAddress], any Error> in [.failure(OutboundError.unknownName), .success([])] {
            server.answer.withLock { $0 = .success(Self.address) }
            #expect(try await resolver.addresses(of: "gone.example") == Self.address)
            server.pass(.seconds(31))
            server.answer.withLock { $0 = answer }
            await #expect(throws: OutboundError.unknownName) { try await resolver.addresses(of: "gone.example") }
            server.answer.withLock { $0 = .failure(NameResolver.NoAnswer()) }
            await #expect(throws: OutboundError.unknownName) { try await resolver.addresses(of: "gone.example") }
        }
    }

    @Test("is not needed for addresses")
    func literals() async throws {
        let server = NameServer(.success([]))
        let resolver = server.resolver()
        for text in ["127.0.0.1", "::1", "::ffff:10.0.0.1"] {
            let address = try #require(IPAddress(text))
            #expect(try await resolver.addresses(of: text) == [address])
        }
        #expect(server.count == 0)
    }

    @Test("leads to no private address, neither at once nor by an answer that is kept or old")
    func checked() async throws {
        let variables = [
            "POSTERN_PROJECT_ID": "example-project", "POSTERN_PROJECT_API_KEYS": "key-one",
            "POSTERN_SECRETS_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
        ]
        let settings = try SettingsLoader.load(file: nil, environment: variables)
        let inner = try #require(IPAddress(bytes: [10, 0, 0, 1]))
        let server = NameServer(.success([inner]))
        let names = CheckedNames(settings.outbound, resolver: server.resolver())
        for _ in 0..<2 {
            await #expect(throws: OutboundError.forbiddenAddress) { try await names.addresses(of: "inner.example") }
        }
        #expect(server.count == 1)
        server.pass(.seconds(31))
        server.answer.withLock { $0 = .failure(NameResolver.NoAnswer()) }
        await #expect(throws: OutboundError.forbiddenAddress) { try await names.addresses(of: "inner.example") }
        await #expect(throws: OutboundError.forbiddenAddress) { try await names.addresses(of: "10.0.0.1") }
        #expect(server.count == 2)
    }

    @Test("is remembered of a bounded number of hosts; the oldest goes")
    func bound() {
        var names = KeptNames()
        let now = ContinuousClock.now
        for number in 0...1000 { names.keep(Self.address, of: "\(number).example", at: now + .milliseconds(number)) }
        #expect(names.count == 1000)
        let later = now + .seconds(2)
        #expect(names.addresses(of: "0.example", at: later, within: KeptNames.freshness) == nil)
        #expect(names.addresses(of: "1.example", at: later, within: KeptNames.freshness) == Self.address)
        #expect(names.addresses(of: "1000.example", at: later, within: KeptNames.freshness) == Self.address)
    }
}
