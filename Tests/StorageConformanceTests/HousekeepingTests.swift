import Project
import Storage
import Testing

@Suite("Housekeeping", .teardown, .timeLimit(.minutes(15)))
struct HousekeepingTests {
    private static let tenant = Scope(projectID: "p", tenantID: "t")
    private static let time = Timestamp(milliseconds: 1_700_000_000_123)

    @Test("a store is not good after a failed write until it takes writes again (OPS-02)", arguments: TestBackend.available)
    func failedWrites(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        try await database.write { _ = try $0.execute("ALTER TABLE leases RENAME TO away") }
        try await database.ping()
        await #expect(throws: StorageError.self) {
            try await database.write { try $0.takeLease("x", holder: "y", at: Self.time, until: Self.time) }
        }
        for _ in 0..<2 { await #expect(throws: StorageError.self) { try await database.ping() } }
        try await database.write { _ = try $0.execute("ALTER TABLE away RENAME TO leases") }
        for _ in 0..<2 { try await database.ping() }
    }

    @Test("sessions end when told to, the least used first, and are forgotten in batches", arguments: TestBackend.available)
    func sessions(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        try await database.write { transaction throws in
            for number in 0..<5 {
                let created = Self.time.advanced(by: .seconds(number))
                var session = SessionRecord(
                    tokenHash: [UInt8(number), 0, 255],
                    scope: Self.tenant,
                    localID: "u",
                    sessionID: "s\(number)",
                    signInProvider: "google.com",
                    authTime: created.seconds,
                    createdAt: created
                )
                session.claims = #"{"a":1}"#
                try transaction.insertSession(session)
                #expect(try transaction.session(tokenHash: [UInt8(number), 0, 255]) == session)
            }
            try transaction.touchSession(tokenHash: [0, 0, 255], at: Self.time.advanced(by: .seconds(100)))
            try transaction.endSurplusSessions(Self.tenant, localID: "u", keep: 2, at: Self.time)
            let live = try (0..<5).filter { try transaction.session(tokenHash: [UInt8($0), 0, 255])?.revokedAt == nil }
            #expect(live == [0, 4])
            try transaction.revokeSessions(Self.tenant, localID: "u", at: Self.time.advanced(by: .seconds(9)))
            #expect(try transaction.session(tokenHash: [4, 0, 255])?.revokedAt == Self.time.advanced(by: .seconds(9)))
            #expect(try transaction.session(tokenHash: [1, 0, 255])?.revokedAt == Self.time)
            let limit = Self.time.advanced(by: .seconds(1))
            #expect(try transaction.deleteExpired(.sessions, before: limit, limit: 2) == 2)
            #expect(try transaction.deleteExpired(.sessions, before: limit, limit: 2) == 1)
            #expect(try transaction.deleteExpired(.sessions, before: limit, limit: 2) == 0)
        }
        #expect(try await database.count("sessions") == 2)
    }

    @Test("of sessions that were used at one time, no more end than are too many", arguments: TestBackend.available)
    func surplusTies(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        try await database.write { transaction throws in
            for number in 0..<5 as Range<UInt8> {
                try transaction.insertSession(
                    SessionRecord(
                        tokenHash: [number],
                        scope: Self.tenant,
                        localID: "u",
                        sessionID: "s\(number)",
                        signInProvider: "google.com",
                        authTime: Self.time.seconds,
                        createdAt: Self.time
                    )
                )
            }
            try transaction.endSurplusSessions(Self.tenant, localID: "u", keep: 2, at: Self.time)
            #expect(try transaction.liveSessions(Self.tenant, localID: "u").count == 2)
            try transaction.endSurplusSessions(Self.tenant, localID: "u", keep: 0, at: Self.time)
            #expect(try transaction.liveSessions(Self.tenant, localID: "u").isEmpty)
        }
    }

    @Test("a lease has one holder until it expires", arguments: TestBackend.available)
    func leases(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        let until = Self.time.advanced(by: .seconds(10))
        try await database.write { transaction throws in
            #expect(try transaction.takeLease("work", holder: "a", at: Self.time, until: until))
            #expect(try transaction.takeLease("work", holder: "a", at: Self.time, until: until))
            #expect(try !transaction.takeLease("work", holder: "b", at: Self.time, until: until))
            #expect(try transaction.takeLease("other", holder: "b", at: Self.time, until: until))
            // The holder's clock may be behind.
            #expect(try !transaction.takeLease("work", holder: "b", at: until, until: until.advanced(by: .seconds(10))))
            let ended = until.advanced(by: ClockSkew.betweenNodes)
            #expect(try transaction.takeLease("work", holder: "b", at: ended, until: ended.advanced(by: .seconds(10))))
            #expect(try !transaction.takeLease("work", holder: "a", at: ended, until: ended))
        }
    }

    @Test("the audit trail loses records of a chain up to a place, and none without a place", arguments: TestBackend.available)
    func audit(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        try await database.write { transaction throws in
            for number in 0..<3 {
                let event = AuditEvent(
                    eventID: "e\(number)",
                    occurredAt: Self.time.advanced(by: .seconds(number)),
                    event: .signIn,
                    localID: "u",
                    // The second event of a user would be a repetition.
                    actor: "cli",
                    address: nil,
                    detail: ["provider": "google.com"]
                )
                try transaction.insertAuditEvent(Self.tenant, event)
            }
            for (seq, row) in try transaction.unchainedAuditRows(closedBefore: Self.time, limit: 2).enumerated() {
                try transaction.chainAuditRow(row.event.eventID, in: "a", seq: Int64(seq + 1), hash: "h\(seq)")
            }
            let key = AuditChainKey(scope: Self.tenant, recordClass: "a")
            #expect(try transaction.chainedAuditRows(key, after: (1, "e0"), limit: 5).map(\.hash) == ["h1"])
            #expect(try transaction.chainOfOldestAuditRow(inClass: "a", before: Self.time) == nil)
            #expect(try transaction.chainOfOldestAuditRow(inClass: "a", before: Self.time.advanced(by: .seconds(1))) == key)
            #expect(try transaction.auditChainKeys(ofProject: nil) == [key])
            #expect(try transaction.countUnchainedAuditRows(Self.tenant) == 1)
            #expect(try !transaction.countAuditRepetitions(1, of: "e0", at: Self.time))
            #expect(try transaction.countAuditRepetitions(1, of: "e2", at: Self.time))
            #expect(try transaction.deleteChainedAuditRows(key, through: 1) == 1)
            #expect(try transaction.deleteChainedAuditRows(key, through: 5) == 1)
        }
        let left = try await database.query("SELECT event_id FROM audit_events").map { try $0.text("event_id") }
        #expect(left == ["e2"])
    }
}
