import Migrations
import Project
import Storage
import Testing

@Suite("Counts that belong to an account", .teardown, .timeLimit(.minutes(15)))
struct AccountThrottleTests {
    private static let tenant = Scope(projectID: "p", tenantID: "t")
    private static let time = Timestamp(milliseconds: 1_700_000_000_123)
    private static let week = ThrottleWindow.sliding(.seconds(86_400 * 7))

    private static func count(
        _ bucket: String,
        of localID: String?,
        _ scope: Scope = tenant,
        in transaction: Transaction
    ) throws {
        _ = try transaction.countThrottle(scope, bucket: bucket, of: localID, at: time, window: week)
    }

    @Test("are found by the account, and deleted by kind, in its own scope alone", arguments: TestBackend.available)
    func deletion(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        try await database.write { transaction throws in
            for (bucket, localID) in [
                ("usual:a:1", "a"), ("usual:a:2", "a"), ("usual:a:b:1", "a:b"), ("other:a", "a"), ("usualX:a", "a"),
                ("plain:a", nil),
            ] as [(String, String?)] { try Self.count(bucket, of: localID, in: transaction) }
            try Self.count("usual:a:1", of: "a", Self.tenant.project, in: transaction)
            // One of an earlier version, which names no account, is nobody's until it is counted again.
            #expect(try transaction.throttle(Self.tenant, bucket: "plain:a", of: "a") == nil)
            #expect(try transaction.throttle(Self.tenant, bucket: "usual:a:1", of: "b") == nil)
            #expect(try transaction.throttle(Self.tenant, bucket: "usual:a:1", of: "a")?.count == 1)
            try Self.count("plain:a", of: "a", in: transaction)
            try Self.count("plain:a", of: nil, in: transaction)
            #expect(try transaction.throttle(Self.tenant, bucket: "plain:a", of: "a")?.count == 3)
            try transaction.deleteThrottles(Self.tenant, localID: "a", prefixes: [])
            try transaction.deleteThrottles(Self.tenant, localID: "a", prefixes: ["usual:", "plain:"])
        }
        let left = try await database.query("SELECT tenant_id, bucket FROM throttles ORDER BY tenant_id, bucket").map {
            [try $0.text("tenant_id"), try $0.text("bucket")]
        }
        #expect(Set(left) == [["", "usual:a:1"], ["t", "other:a"], ["t", "usual:a:b:1"], ["t", "usualX:a"]])
    }

    @Test(
        "written by a node of an earlier version are believed of nobody, and become the account's, or go at their end",
        arguments: TestBackend.available
    )
    func earlierNode(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        try await database.write { transaction throws in
            for bucket in ["usual:a:1", "usual:a:2"] { try Self.count(bucket, of: nil, in: transaction) }
            try transaction.deleteThrottles(Self.tenant, localID: "a", prefixes: ["usual:"])
            for bucket in ["usual:a:1", "usual:a:2"] {
                #expect(try transaction.throttle(Self.tenant, bucket: bucket) != nil)
                #expect(try transaction.throttle(Self.tenant, bucket: bucket, of: "a") == nil)
            }
            // A node of this version counts one of them, and one of the earlier version counts it again.
            try Self.count("usual:a:1", of: "a", in: transaction)
            try Self.count("usual:a:1", of: nil, in: transaction)
            try transaction.deleteThrottles(Self.tenant, localID: "a", prefixes: ["usual:"])
            #expect(try transaction.throttle(Self.tenant, bucket: "usual:a:1") == nil)
            let past = Self.time.advanced(by: .seconds(86_400 * 7 + 1))
            #expect(try transaction.deleteExpired(.throttles, before: past, limit: 10) == 1)
            #expect(try transaction.throttle(Self.tenant, bucket: "usual:a:2") == nil)
        }
    }

    @Test("know how many of their events have no outcome yet", arguments: TestBackend.available)
    func outcomes(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        try await database.write { transaction throws in
            func open() throws -> [Int64]? {
                try transaction.throttle(Self.tenant, bucket: "b").map { [$0.count, $0.settled, $0.open] }
            }
            for _ in 0..<5 { try Self.count("b", of: nil, in: transaction) }
            #expect(try open() == [5, 0, 5])
            try transaction.settleThrottle(Self.tenant, bucket: "b")
            try transaction.takeBackOpenThrottle(Self.tenant, bucket: "b")
            #expect(try open() == [4, 1, 3])
            try transaction.blockThrottle(Self.tenant, bucket: "b", until: Self.time.advanced(by: .seconds(60)))
            // One succeeds: the one that failed is forgotten with the block, the two others are not.
            try transaction.forgiveThrottle(Self.tenant, bucket: "b")
            #expect(try open() == [2, 0, 2])
            #expect(try transaction.throttle(Self.tenant, bucket: "b")?.blockedUntil == Timestamp(milliseconds: 0))
            for _ in 0..<3 { try transaction.settleThrottle(Self.tenant, bucket: "b") }
            #expect(try open() == [2, 2, 0])
            for _ in 0..<2 { try transaction.takeBackOpenThrottle(Self.tenant, bucket: "b") }
            #expect(try open() == [2, 2, 0])
            try Self.count("b", of: nil, in: transaction)
            #expect(try open() == [3, 2, 1])
            let end = try #require(try transaction.throttle(Self.tenant, bucket: "b")?.endsAt)
            let before = end.advanced(by: .milliseconds(-1))
            try transaction.settleAllOfThrottle(Self.tenant, bucket: "b", countedUntil: before)
            #expect(try open() == [3, 2, 1])
            try transaction.settleAllOfThrottle(Self.tenant, bucket: "b", countedUntil: end)
            #expect(try open() == [3, 3, 0])
            // A new window begins without the old outcomes.
            _ = try transaction.countThrottle(Self.tenant, bucket: "b", at: end, window: Self.week)
            #expect(try open() == [1, 0, 1])
            try transaction.forgiveThrottle(Self.tenant, bucket: "b")
            #expect(try open() == nil)
        }
    }

    @Test("sessions of an account that are forgotten are ended", arguments: TestBackend.available)
    func sessions(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        try await database.write { transaction throws in
            for (number, localID) in ["a", "a", "a", "b"].enumerated() {
                let session = SessionRecord(
                    tokenHash: [UInt8(number)],
                    scope: Self.tenant,
                    localID: localID,
                    sessionID: "s\(number)",
                    signInProvider: "password",
                    authTime: Self.time.seconds,
                    createdAt: Self.time
                )
                try transaction.insertSession(session)
            }
            #expect(try transaction.revokeSession(Self.tenant, localID: "a", sessionID: "s0", at: Self.time))
            try transaction.deleteLiveSessions(Self.tenant, localID: "a")
            #expect(try transaction.liveSessions(Self.tenant, localID: "a").isEmpty)
            #expect(try transaction.session(Self.tenant, localID: "a", sessionID: "s0")?.revokedAt == Self.time)
            #expect(try transaction.session(tokenHash: [1]) == nil)
            #expect(try transaction.liveSessions(Self.tenant, localID: "b").count == 1)
        }
    }

    @Test("are found in a store of an earlier version", arguments: TestBackend.available)
    func migration(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        let steps = MigrationStep.all.map { step in
            Migration(version: step.version, name: step.name, sql: backend == .postgreSQL ? step.postgreSQL : step.sqlite)
        }
        try await Migrator(migrations: steps.filter { $0.version < 31 }).migrate(database, now: 0)
        let accounts = [
            "usual:abc:c0000201": "abc", "usual:abc:20010db800000001": "abc", "usual:x:y:c0000201": "x:y",
            // Where the colon before an IPv6 network would stand, these have one, too.
            "usual:1234567:c0000201": "1234567", "usual:x:1234567:c0000201": "x:1234567", "usual:1:c0000201": "1",
            "usualForSecondFactors:1234567:c0000201": "1234567",
            "usualForSecondFactors:abc:c0000201": "abc", "usualForSecondFactors:abc:20010db800000001": "abc",
            "usualForOperators:abc:c0000201": nil, "signUps:from:c0000201": nil, "passwords:of:abc": nil,
        ]
        try await database.write { transaction throws in
            for bucket in accounts.keys {
                try transaction.execute(
                    """
                    INSERT INTO throttles (project_id, tenant_id, bucket, count, ends_at, blocked_until)
                    VALUES ('p', '', \(bucket), 3, 9, 0)
                    """
                )
            }
        }
        _ = try await Migrator(migrations: steps).migrate(database, now: 0)
        let rows = try await database.query("SELECT bucket, local_id, settled FROM throttles")
        #expect(rows.count == accounts.count)
        for row in rows {
            let bucket = try row.text("bucket")
            #expect(try row.textIfPresent("local_id") == accounts[bucket] ?? nil, "\(bucket)")
            #expect(try row.integer("settled") == (bucket.hasPrefix("passwords:") ? 3 : 0), "\(bucket)")
        }
    }
}
