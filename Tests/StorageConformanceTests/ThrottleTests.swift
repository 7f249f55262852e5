import Project
import Storage
import Testing

@Suite("Throttles", .teardown, .timeLimit(.minutes(15)))
struct ThrottleTests {
    private static let tenant = Scope(projectID: "p", tenantID: "t")
    private static let time = Timestamp(milliseconds: 1_700_000_000_123)
    private static let hour = Duration.seconds(3600)
    private static let never = Timestamp(milliseconds: 0)

    private static func after(_ seconds: Int) -> Timestamp { time.advanced(by: .seconds(seconds)) }

    @Test("a fixed window ends an hour after its first event, and then counts anew", arguments: TestBackend.available)
    func fixedWindow(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        try await database.write { transaction throws in
            func count(_ seconds: Int, _ bucket: String = "b", _ scope: Scope = Self.tenant) throws -> ThrottleCount {
                try transaction.countThrottle(scope, bucket: bucket, at: Self.after(seconds), window: .fixed(Self.hour))
            }
            let first = ThrottleCount(count: 1, endsAt: Self.after(3600), blockedUntil: Self.never)
            #expect(try transaction.throttle(Self.tenant, bucket: "b") == nil)
            #expect(try count(0) == first)
            #expect(try count(3599) == ThrottleCount(count: 2, endsAt: Self.after(3600), blockedUntil: Self.never))
            #expect(try count(0, "other") == first)
            #expect(try count(0, "b", Self.tenant.project) == first)
            #expect(try count(3600) == ThrottleCount(count: 1, endsAt: Self.after(7200), blockedUntil: Self.never))
            #expect(try transaction.throttle(Self.tenant, bucket: "b")?.count == 1)
        }
    }

    @Test("a fixed window of a clock that was ahead has ended", arguments: TestBackend.available)
    func windowOfWrongClock(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        try await database.write { transaction throws in
            func count(_ seconds: Int) throws -> ThrottleCount {
                try transaction.countThrottle(Self.tenant, bucket: "b", at: Self.after(seconds), window: .fixed(Self.hour))
            }
            _ = try count(86_400)
            #expect(try count(0) == ThrottleCount(count: 1, endsAt: Self.after(3600), blockedUntil: Self.never))
            // Another node's clock may be a minute ahead.
            _ = try count(7200)
            #expect(try count(7140).count == 2)
        }
    }

    @Test("a sliding window lasts until it has been quiet", arguments: TestBackend.available)
    func slidingWindow(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        try await database.write { transaction throws in
            for (seconds, count) in [(0, 1), (3599, 2), (7000, 3), (10_600, 1)] as [(Int, Int64)] {
                let time = Self.after(seconds)
                let counted = try transaction.countThrottle(Self.tenant, bucket: "b", at: time, window: .sliding(Self.hour))
                #expect(counted.count == count)
                #expect(counted.endsAt == Self.after(seconds + 3600))
            }
        }
    }

    @Test("a block outlasts the window, until the bucket is reset", arguments: TestBackend.available)
    func blocks(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        try await database.write { transaction throws in
            func count(_ seconds: Int) throws -> ThrottleCount {
                try transaction.countThrottle(Self.tenant, bucket: "b", at: Self.after(seconds), window: .fixed(Self.hour))
            }
            try transaction.blockThrottle(Self.tenant, bucket: "b", until: Self.after(9000))
            #expect(try transaction.throttle(Self.tenant, bucket: "b") == nil)
            _ = try count(0)
            try transaction.blockThrottle(Self.tenant, bucket: "b", until: Self.after(9000))
            #expect(try count(1).blockedUntil == Self.after(9000))
            #expect(try count(4000) == ThrottleCount(count: 1, endsAt: Self.after(7600), blockedUntil: Self.after(9000)))
            try transaction.resetThrottle(Self.tenant, bucket: "b")
            #expect(try count(4001) == ThrottleCount(count: 1, endsAt: Self.after(7601), blockedUntil: Self.never))
        }
    }

    @Test("an event is taken back from the window that counted it, and from no other", arguments: TestBackend.available)
    func takeBack(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        try await database.write { transaction throws in
            let window = ThrottleWindow.fixed(Self.hour)
            let counted = try transaction.countThrottle(Self.tenant, bucket: "b", at: Self.time, window: window)
            for _ in 0..<3 { try transaction.takeBackThrottle(Self.tenant, bucket: "b", endingAt: counted.endsAt) }
            #expect(try transaction.throttle(Self.tenant, bucket: "b")?.count == 0)
            _ = try transaction.countThrottle(Self.tenant, bucket: "b", at: Self.after(3600), window: window)
            try transaction.takeBackThrottle(Self.tenant, bucket: "b", endingAt: counted.endsAt)
            #expect(try transaction.throttle(Self.tenant, bucket: "b")?.count == 1)
        }
    }

    @Test("are reset with those of single networks, and no other account's are", arguments: TestBackend.available)
    func resetByNetwork(backend: TestBackend) async throws {
        let own = ["of:\u{E9}\u{1F600}", "of:\u{E9}\u{1F600}:from:192.0.2.1", "of:\u{E9}\u{1F600}:from:\u{10FFFF}"]
        let others = ["of:\u{E9}\u{1F600}0", "of:\u{E9}", "of:\u{E9}\u{1F600}:FROM:192.0.2.1", "of:\u{E9}\u{1F600}:from;"]
        let database = try await backend.makeSchema()
        try await database.write { transaction throws in
            for scope in [Self.tenant, Self.tenant.project] {
                for bucket in own + others {
                    _ = try transaction.countThrottle(scope, bucket: bucket, at: Self.time, window: .fixed(Self.hour))
                }
            }
            #expect(try transaction.resetThrottles(Self.tenant, bucket: own[0]) == own.count)
            #expect(try transaction.resetThrottles(Self.tenant, bucket: own[0]) == 0)
            for bucket in own { #expect(try transaction.throttle(Self.tenant, bucket: bucket) == nil) }
            for bucket in others { #expect(try transaction.throttle(Self.tenant, bucket: bucket) != nil) }
            for bucket in own { #expect(try transaction.throttle(Self.tenant.project, bucket: bucket) != nil) }
        }
    }

    @Test("what has ended and blocks nothing is forgotten in batches", arguments: TestBackend.available)
    func forgetting(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        try await database.write { transaction throws in
            for number in 0..<5 {
                let time = Self.after(number)
                _ = try transaction.countThrottle(Self.tenant, bucket: "b\(number)", at: time, window: .fixed(Self.hour))
            }
            try transaction.blockThrottle(Self.tenant, bucket: "b1", until: Self.after(9000))
            let limit = Self.after(3604)
            #expect(try transaction.deleteExpired(.throttles, before: limit, limit: 2) == 2)
            #expect(try transaction.deleteExpired(.throttles, before: limit, limit: 2) == 1)
            #expect(try transaction.deleteExpired(.throttles, before: limit, limit: 2) == 0)
        }
        let left = try await database.query("SELECT bucket FROM throttles ORDER BY bucket").map { try $0.text("bucket") }
        #expect(left == ["b1", "b4"])
    }

    @Test("64 events at once are each counted once", arguments: TestBackend.available)
    func atOnce(backend: TestBackend) async throws {
        try await count(64, on: [backend.makeSchema()])
    }

    @Test("64 events at once on two nodes are each counted once", arguments: TestBackend.concurrent)
    func atOnceAcrossNodes(backend: TestBackend) async throws {
        let nodes = try await backend.makeNodes(2)
        _ = try await backend.migrator.migrate(nodes[0], now: 0)
        try await count(64, on: nodes)
    }

    private func count(_ events: Int, on nodes: [any Database]) async throws {
        let counts = try await withThrowingTaskGroup(of: Int64.self) { group in
            for number in 0..<events {
                group.addTask {
                    try await nodes[number % nodes.count].write { transaction in
                        try transaction.countThrottle(Self.tenant, bucket: "b", at: Self.time, window: .fixed(Self.hour)).count
                    }
                }
            }
            return try await group.reduce(into: [Int64]()) { $0.append($1) }
        }
        #expect(counts.sorted() == Array(1...Int64(events)))
    }
}
