import Project
import Settings
import Storage
import TestKit
import Testing

@testable import Accounts

@Suite("Throttles", .timeLimit(.minutes(15)))
struct ThrottleTests {
    private static let hour = Duration.seconds(3600)

    static func limits(_ all: Int = 1_000_000) async throws -> LimitSettings {
        var limits = try SettingsLoader.load(file: nil, environment: ["POSTERN_MODE": "development"]).limits
        limits.signUp.perAddressPerHour = all
        limits.signIn.refusedCallsPerAddressPerHour = all
        limits.password.failuresPerAccount = min(all, 10)
        limits.password.failuresPerAddressPerHour = all
        limits.email.perRecipientPerHour = all
        limits.email.perAddressPerHour = all
        limits.account.changesPerHour = all
        return limits
    }

    /// A throttle, by default on its own SQLite store.
    struct Bench {
        let database: any Database
        let clock = TestClock()
        let throttle: Throttle

        init(_ limits: LimitSettings, mode: ModeRules = .production) async throws {
            let database = try SQLiteDatabase(.memory, readers: 1, logger: LogCapture().logger())
            _ = try await Migrator.sqlite.migrate(database, now: 0)
            self.init(limits, mode: mode, on: database)
        }

        init(_ limits: LimitSettings, mode: ModeRules = .production, on database: any Database) {
            self.database = database
            // A machine that runs other tests is slow.
            throttle = Throttle(
                database: database,
                environment: clock.environment(),
                limits: limits,
                mode: mode,
                patience: .seconds(600)
            )
        }

        func allowed(_ calls: Int, _ call: () async throws -> Void) async throws -> Int {
            var allowed = 0
            for _ in 0..<calls where try await refusal(call) == nil { allowed += 1 }
            return allowed
        }

        /// The seconds to wait, if a call is refused.
        func refusal(_ call: () async throws -> Void) async throws -> Int? {
            do {
                try await call()
                return nil
            } catch let error as APIError {
                #expect(error.code == .tooManyAttemptsTryLater && !error.isOverload)
                let seconds: Int = try #require(error.retryAfterSeconds)
                return seconds
            }
        }

        func signUp(from address: String?, isPrivileged: Bool = false) async throws {
            try await throttle.signUp(context: context(address, isPrivileged: isPrivileged))
        }

        func mail(
            _ type: OOBRequestType = .passwordReset,
            to email: String,
            from address: String?,
            isPrivileged: Bool = false
        ) async throws {
            try await throttle.mail(type, to: email, context: context(address, isPrivileged: isPrivileged))
        }

        /// A password that is being checked.
        func attempt(_ email: String = "victim@example.com", from address: String?) async throws -> GuessAttempt {
            try await throttle.passwordAttempt(email: email, context: context(address))
        }

        /// A wrong password.
        func guess(_ email: String = "victim@example.com", from address: String?) async throws {
            try await throttle.failed(try await attempt(email, from: address))
        }

        func code(from address: String = "192.0.2.1") async throws -> GuessAttempt {
            try await throttle.secondFactorAttempt(localID: "victim", context: context(address))
        }

        func signIn(_ email: String = "victim@example.com", from address: String?) async throws {
            try await throttle.succeeded(try await attempt(email, from: address))
            let (context, now) = (context(address), clock.now)
            try await database.write { try throttle.remember(context, of: "victim", at: now, in: $0) }
        }

        func context(_ address: String?, isPrivileged: Bool = false) -> CallContext {
            CallContext(scope: Scope(projectID: "p"), isPrivileged: isPrivileged, address: address)
        }

        /// A call of another server that comes to nothing.
        func refusedCall(from address: String?) async throws {
            struct ServerError: Error {}
            do {
                try await throttle.outgoingCall(context: context(address)) { throw ServerError() }
            } catch is ServerError {}
        }

        func addVictim(isVerified: Bool = false) async throws {
            var account = AccountRecord(localID: "victim", createdAt: clock.now)
            account.email = "victim@example.com"
            account.emailVerified = isVerified ? true : nil
            let record = account
            try await database.write { try $0.insertAccount(Scope(projectID: "p"), record) }
        }

        func rows() async throws -> Int64? {
            try await database.read { try $0.queryOne("SELECT count(*) AS n FROM throttles")?.integer("n") }
        }
    }

    @Test("sign-ups are limited by address and hour; what is refused prolongs nothing")
    func signUps() async throws {
        var limits = try await Self.limits()
        limits.signUp.perAddressPerHour = 3
        let bench = try await Bench(limits)
        #expect(try await bench.allowed(3) { try await bench.signUp(from: "192.0.2.1") } == 3)
        bench.clock.advance(by: .seconds(600))
        #expect(try await bench.refusal { try await bench.signUp(from: "192.0.2.1") } == 3000)
        #expect(try await bench.refusal { try await bench.signUp(from: "192.0.2.2") } == nil)
        #expect(try await bench.refusal { try await bench.signUp(from: "192.0.2.1", isPrivileged: true) } == nil)
        bench.clock.advance(by: .milliseconds(2_999_001))
        #expect(try await bench.refusal { try await bench.signUp(from: "192.0.2.1") } == 1)
        bench.clock.advance(by: .milliseconds(999))
        #expect(try await bench.allowed(9) { try await bench.signUp(from: "192.0.2.1") } == 3)
    }

    @Test("a wait is never longer than the longest delay, also when the clock was ahead before")
    func clockSetBack() async throws {
        var limits = try await Self.limits()
        limits.signUp.perAddressPerHour = 3
        let bench = try await Bench(limits)
        let days = Duration.seconds(86_400 * 1000)
        bench.clock.advance(by: days)
        #expect(try await bench.allowed(9) { try await bench.signUp(from: "192.0.2.1") } == 3)
        #expect(try await bench.allowed(99) { try await bench.guess(from: "192.0.2.1") } == 10)
        #expect(try await bench.allowed(99) { try await bench.wrongCode() } == 5)
        bench.clock.advance(by: .zero - days)
        #expect(try await bench.refusal { try await bench.signUp(from: "192.0.2.1") } == nil)
        #expect(try await bench.refusal { try await bench.guess(from: "192.0.2.1") } == nil)
        #expect(try await bench.refusal { try await bench.wrongCode() } == nil)
        // The failures still count, and the delays go by the present clock.
        for wait in [
            try await bench.refusal { try await bench.guess(from: "192.0.2.1") },
            try await bench.refusal { try await bench.wrongCode() },
        ] {
            #expect((1...3600).contains(try #require(wait)))
        }
    }

    @Test("messages are limited by recipient and by address; administrators by recipient alone")
    func mails() async throws {
        var limits = try await Self.limits()
        limits.email.perRecipientPerHour = 2
        limits.email.perAddressPerHour = 5
        let bench = try await Bench(limits)
        #expect(try await bench.allowed(1) { try await bench.mail(to: "A@example.com", from: "192.0.2.1") } == 1)
        #expect(try await bench.allowed(9) { try await bench.mail(to: "a@example.com", from: "192.0.2.2") } == 1)
        #expect(try await bench.allowed(9) { try await bench.mail(to: "b@example.com", from: "192.0.2.1") } == 2)
        #expect(try await bench.allowed(9) { try await bench.mail(to: "c@example.com", from: "192.0.2.1") } == 2)
        // The address has used up its five. The refusals did not count for the recipient.
        #expect(try await bench.refusal { try await bench.mail(to: "d@example.com", from: "192.0.2.1") } == 3600)
        let asAdministrator = try await bench.allowed(9) {
            try await bench.mail(to: "d@example.com", from: "192.0.2.1", isPrivileged: true)
        }
        #expect(asAdministrator == 2)
        bench.clock.advance(by: Self.hour)
        #expect(try await bench.allowed(1) { try await bench.mail(to: "a@example.com", from: "192.0.2.1") } == 1)
    }

    @Test("wrong passwords in a row are delayed by 1 second, doubling to 15 minutes, and from the hundredth on by an hour")
    func growingDelay() async throws {
        let bench = try await Bench(Self.limits())
        #expect(try await bench.allowed(50) { try await bench.guess(from: "192.0.2.1") } == 10)
        var delays: [Int] = []
        // THR-01: each guess comes from its own address.
        for number in 0..<93 {
            let address = "198.51.100.\(number)"
            let delay = try #require(try await bench.refusal { try await bench.guess(from: address) })
            delays.append(delay)
            bench.clock.advance(by: .seconds(delay))
            #expect(try await bench.refusal { try await bench.guess(from: address) } == nil)
        }
        #expect(delays.prefix(12) == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900])
        #expect(delays.dropFirst(10).prefix(80).allSatisfy { $0 == 900 })
        #expect(delays.suffix(3) == [3600, 3600, 3600])
    }

    @Test("a week without a wrong password forgets them; six days do not")
    func quietWeek() async throws {
        let bench = try await Bench(Self.limits())
        #expect(try await bench.allowed(11) { try await bench.guess(from: nil) } == 10)
        for days in [1, 6, 6] {
            bench.clock.advance(by: .seconds(86_400 * days))
            #expect(try await bench.allowed(11) { try await bench.guess(from: nil) } == 1)
        }
        bench.clock.advance(by: .seconds(86_400 * 7))
        #expect(try await bench.allowed(11) { try await bench.guess(from: nil) } == 10)
    }

    @Test("every limit set to 1 refuses the second call, and says when to come back (THR-11)")
    func limitsOfOne() async throws {
        func second(_ change: (inout LimitSettings) -> Void, _ call: (Bench, Int) async throws -> Void) async throws -> Int? {
            var limits = try await Self.limits()
            change(&limits)
            let bench = try await Bench(limits)
            try await call(bench, 1)
            return try await bench.refusal { try await call(bench, 2) }
        }
        #expect(
            try await second {
                $0.signUp.perAddressPerHour = 1
            } _: { bench, _ in
                try await bench.signUp(from: nil)
            } == 3600
        )
        #expect(
            try await second {
                $0.password.failuresPerAccount = 1
            } _: {
                try await $0.guess(from: "192.0.2.\($1)")
            } == 1
        )
        let perAddress = try await second {
            $0.password.failuresPerAddressPerHour = 1
        } _: {
            try await $0.guess("a\($1)@example.com", from: nil)
        }
        #expect(perAddress == 3600)
        let perRecipient = try await second {
            $0.email.perRecipientPerHour = 1
        } _: {
            try await $0.mail(to: "a@example.com", from: "192.0.2.\($1)")
        }
        #expect(perRecipient == 3600)
        let perSender = try await second {
            $0.email.perAddressPerHour = 1
        } _: {
            try await $0.mail(to: "a\($1)@example.com", from: nil)
        }
        #expect(perSender == 3600)
        let refusedCall = try await second {
            $0.signIn.refusedCallsPerAddressPerHour = 1
        } _: { bench, _ in
            try await bench.refusedCall(from: nil)
        }
        #expect(refusedCall == 3600)
    }

    @Test("a call of another server counts while it is under way and when it came to nothing, for its network alone (THR-13)")
    func outgoingCalls() async throws {
        let bench = try await Bench(Self.limits(2))
        let context = bench.context("192.0.2.1")
        for number in 0..<5 {
            #expect(try await bench.throttle.outgoingCall(context: context) { number } == number)
        }
        try await bench.throttle.outgoingCall(context: context) {
            try await bench.throttle.outgoingCall(context: context) { () async throws in
                #expect(try await bench.refusal { try await bench.throttle.outgoingCall(context: context) {} } == 3600)
            }
        }
        for _ in 0..<2 { try await bench.refusedCall(from: "192.0.2.1") }
        #expect(try await bench.refusal { try await bench.refusedCall(from: "192.0.2.1") } == 3600)
        try await bench.refusedCall(from: "192.0.2.2")
        let administrator = CallContext(scope: context.scope, isPrivileged: true, address: "192.0.2.1")
        try await bench.throttle.outgoingCall(context: administrator) {}
    }

    @Test("a network that tries one tenant after the other is one client; an account belongs to its tenant")
    func tenants() async throws {
        let bench = try await Bench(Self.limits(2))
        func guess(_ tenant: String, from address: String) async throws {
            let context = CallContext(scope: Scope(projectID: "p", tenantID: tenant), address: address)
            try await bench.throttle.failed(try await bench.throttle.passwordAttempt(email: "a@example.com", context: context))
        }
        try await guess("one", from: "192.0.2.1")
        try await guess("two", from: "192.0.2.1")
        #expect(try await bench.refusal { try await guess("three", from: "192.0.2.1") } == 3600)
        try await guess("one", from: "192.0.2.2")
        #expect(try await bench.refusal { try await guess("one", from: "192.0.2.3") } == 1)
    }
}
