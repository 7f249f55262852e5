import Project
import Settings
import Storage
import TestKit
import Testing

@testable import Accounts

// Customers of IPv6 who have many networks (THR-14).
extension ThrottleTests {
    /// An address of a /64 within a /56 within a /48.
    private static func address(_ site: Int, _ block: Int = 0, _ network: Int = 0) -> String {
        "2001:db8:\(site):\(String(block << 8 | network, radix: 16))::1"
    }

    /// Addresses of different /56s of one /48.
    private static func spread(_ count: Int, site: Int = 1) -> [String] { (0..<count).map { address(site, $0) } }

    private static func allowed(
        _ bench: Bench,
        from addresses: [String],
        _ call: (String) async throws -> Void
    ) async throws -> Int {
        var allowed = 0
        for address in addresses where try await bench.refusal({ try await call(address) }) == nil { allowed += 1 }
        return allowed
    }

    @Test("a /56 has 4 times the limit of a /64, a /48 16 times; another /48 and IPv4 are not disturbed (THR-14)")
    func widerNetworks() async throws {
        var limits = try await Self.limits()
        limits.signUp.perAddressPerHour = 2
        let bench = try await Bench(limits)
        func signUps(_ addresses: [String]) async throws -> Int {
            try await Self.allowed(bench, from: addresses) { try await bench.signUp(from: $0) }
        }
        #expect(try await signUps([String](repeating: Self.address(1), count: 9)) == 2)
        // What was refused to one network took nothing from its neighbours.
        #expect(try await signUps((1..<20).map { Self.address(1, 0, $0) }) == 6)
        #expect(try await signUps((1..<60).map { Self.address(1, $0) }) == 24)
        #expect(try await bench.refusal { try await bench.signUp(from: Self.address(1, 99)) } == 3600)
        #expect(try await bench.refusal { try await bench.signUp(from: Self.address(1, 99, 9)) } == 3600)
        #expect(try await signUps(Self.spread(60, site: 2)) == 32)
        #expect(try await signUps([String](repeating: Self.address(3), count: 9)) == 2)
        #expect(try await signUps((0..<60).map { "192.0.2.\($0)" }) == 60)
        #expect(try await signUps((0..<60).map { "::ffff:198.51.100.\($0)" }) == 60)
        bench.clock.advance(by: .seconds(3600))
        #expect(try await signUps(Self.spread(60)) == 32)
    }

    @Test("IPv4 and unknown addresses are counted once, IPv6 three times")
    func rowsOfNetworks() async throws {
        let bench = try await Bench(Self.limits())
        try await bench.signUp(from: "192.0.2.1")
        try await bench.signUp(from: nil)
        #expect(try await bench.rows() == 2)
        try await bench.signUp(from: Self.address(1))
        #expect(try await bench.rows() == 5)
        try await bench.signUp(from: Self.address(1, 0, 1))
        #expect(try await bench.rows() == 6)
    }

    @Test("whatever is counted by network is counted by the /48, too (THR-14)")
    func everyCount() async throws {
        let bench = try await Bench(Self.limits(1))
        let addresses = Self.spread(40)
        let calls: [(name: String, call: (String) async throws -> Void)] = [
            ("sign-ups", { try await bench.signUp(from: $0) }),
            ("look-ups of addresses", { _ = try await bench.throttle.addressLookUp(context: bench.context($0)) }),
            ("passwords", { try await bench.guess("a\($0)@example.com", from: $0) }),
            ("new passwords", { try await bench.throttle.newPassword(by: nil, context: bench.context($0)) }),
            ("mails", { try await bench.mail(to: "a\($0)@example.com", from: $0) }),
            ("calls", { try await bench.refusedCall(from: $0) }),
        ]
        for (name, call) in calls { #expect(try await Self.allowed(bench, from: addresses, call) == 16, "\(name)") }
    }

    @Test("an attempt that came to nothing, and a right password, are given back to all networks (THR-14)")
    func givenBack() async throws {
        var limits = try await Self.limits()
        limits.password.failuresPerAddressPerHour = 1
        limits.signIn.refusedCallsPerAddressPerHour = 1
        let bench = try await Bench(limits)
        for (number, address) in Self.spread(40).enumerated() {
            try await bench.throttle.abandoned(try await bench.attempt("a\(number)@example.com", from: address))
            try await bench.signIn("a\(number)@example.com", from: address)
            try await bench.throttle.outgoingCall(context: bench.context(address)) {}
        }
        let guesses = try await Self.allowed(bench, from: Self.spread(40)) { address in
            try await bench.guess("b\(address)@example.com", from: address)
        }
        #expect(guesses == 16)
        #expect(try await Self.allowed(bench, from: Self.spread(40)) { try await bench.refusedCall(from: $0) } == 16)
    }

    @Test("tries of operators are counted by the /48, and given back to it (THR-14)")
    func operators() async throws {
        let bench = try await Bench(Self.limits())
        let scope = Scope(projectID: "p")
        func attempt(_ number: Int, site: Int = 1) async throws -> GuessAttempt {
            let (email, address) = ("o\(number)@example.com", Self.address(site, number))
            return try await bench.throttle.operatorAttempt(email: email, address: address, scope)
        }
        let first = try await attempt(1)
        // As if 959 others had been wrong.
        try await bench.database.write { transaction throws in
            _ = try transaction.execute("UPDATE throttles SET count = 960 WHERE bucket = 'operators:from:20010db80001'")
        }
        await #expect(throws: OperatorError.tooManyAttempts(retryAfterSeconds: 3600)) { try await attempt(2) }
        _ = try await attempt(3, site: 2)
        try await bench.throttle.abandoned(first)
        try await bench.throttle.succeeded(try await attempt(4))
        _ = try await attempt(5)
        await #expect(throws: OperatorError.tooManyAttempts(retryAfterSeconds: 3600)) { try await attempt(6) }
    }

    @Test("a neighbour's network is not usual, and neither is the /48")
    func usualNeighbours() async throws {
        let bench = try await Bench(Self.limits())
        try await bench.addVictim()
        try await bench.signIn(from: Self.address(1))
        #expect(try await bench.allowed(50) { try await bench.guess(from: Self.address(1, 0, 1)) } == 10)
        #expect(try await bench.refusal { try await bench.guess(from: Self.address(1, 2)) } == 1)
        #expect(try await bench.allowed(50) { try await bench.guess(from: Self.address(1)) } == 10)
    }

    @Test("a /48 begins 16 times the records of refusals; what is beyond one network's takes nothing from the others")
    func refusals() async throws {
        let bench = try await Bench(Self.limits())
        let now = bench.clock.now
        func record(_ number: Int, from address: String) -> RefusalRecord {
            RefusalRecord(
                key: .init(
                    code: "CODE_\(number)",
                    provider: nil,
                    scope: Scope(projectID: "p"),
                    localID: nil,
                    actor: AuditEvent.user,
                    address: address
                ),
                tally: .init(count: 1, firstAt: now, lastAt: now, requestID: nil, steps: [], heldBy: nil),
                eventID: "event\(number)"
            )
        }
        let own: [RefusalRecord] = (0..<40).map { record($0, from: Self.address(1)) }
        let neighbours: [RefusalRecord] = (1...40).map { record(100 + $0, from: Self.address(1, $0)) }
        let begun = try await bench.database.write { transaction in
            var entries = RefusalEntries(open: [:], room: 1000, now: now, perAddressPerHour: 1)
            for record in own + neighbours { try entries.enter(record, spareID: "rest-\(record.eventID)", in: transaction) }
            return entries.begun
        }
        #expect(begun.keys.count { !$0.isBeyondLimit } == 16)
        #expect(begun.keys.count { $0.address == Self.address(1) } == 1)
    }

    @Test("the names of counts are rows of stores: none of them changes")
    func names() {
        let limits: [RateLimit] = [
            .signUps, .lookUps, .mails, .messages, .testMessages, .appProofs, .flows, .assertions, .refusedCalls,
            .newPasswords,
            .passwords, .operators,
        ]
        let names = [
            "signUps", "lookUps", "mails", "sms", "sms:test", "appProofs", "flows", "assertions", "refusedCalls",
            "newPasswords",
            "passwords", "operators",
        ]
        #expect(limits.map(\.name) == names.map { $0 == "sms:test" ? "\($0):" : "\($0):from:" })
        let counts = ThrottleBucket.counts(of: ClientNetwork("2001:db8::1"), limit: 1, named: ThrottleBucket.refusals)
        #expect(
            counts.map(\.name) == [
                "refusals:from:20010db800000000", "refusals:from:20010db8000000", "refusals:from:20010db80000",
            ]
        )
    }

    @Test(
        "wrong guesses in a row delay the next: codes by 30 seconds to an hour, passwords by a second to a quarter, then an hour"
    )
    func delays() {
        let (codes, passwords) = (GuessLimit.secondFactors, GuessLimit.passwords(free: 10))
        let ofCodes: [Int?] = [4, 5, 6, 11, 12, 40, 200].map { codes.delay(after: $0).map { Int($0.components.seconds) } }
        #expect(ofCodes == [nil, 30, 60, 1920, 3600, 3600, 3600])
        let ofPasswords: [Int?] = [9, 10, 11, 19, 20, 99, 100, 200].map {
            passwords.delay(after: $0).map { Int($0.components.seconds) }
        }
        #expect(ofPasswords == [nil, 1, 2, 512, 900, 900, 3600, 3600])
    }
}
