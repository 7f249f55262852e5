import Accounts
import Logging
import Project
import Storage
import TestKit
import Testing
import Tokens

@Suite("Clean-up", .timeLimit(.minutes(15)))
struct ExpiredRowsTests {
    @Test(
        "leaves what a node whose clock is behind still believes, so that nothing is good twice (OPS-11)",
        arguments: [1, 5, 60]
    )
    func slowerNode(seconds: Int) async throws {
        let database = try SQLiteDatabase(.memory, readers: 1, logger: LogCapture().logger())
        _ = try await Migrator.sqlite.migrate(database, now: 0)
        let clock = TestClock()
        let expiry = clock.now
        let scope = Scope(projectID: "p")
        try await database.write { transaction throws in
            #expect(try transaction.useCredential(scope, hash: [1], expiresAt: expiry))
            _ = try transaction.countThrottle(scope, bucket: "b", at: expiry, window: .fixed(.zero))
        }
        clock.advance(by: .seconds(seconds))
        let retention = ExpiredRows.Retention(endedSessions: .zero, audit: try .everyClass(.zero), expiredCodes: .zero)
        let rows = ExpiredRows(database: database, environment: clock.environment(), retention: retention)
        #expect(try await rows.remove() == 0)
        #expect(try await !database.write { try $0.useCredential(scope, hash: [1], expiresAt: expiry) })
        clock.advance(by: .seconds(61))
        #expect(try await rows.remove() == 2)
        try await database.close()
    }

    @Test("removes nothing while the clock is not believed, and goes on when it is (OPS-03)")
    func wrongClock() async throws {
        let database = try SQLiteDatabase(.memory, readers: 1, logger: LogCapture().logger())
        _ = try await Migrator.sqlite.migrate(database, now: 0)
        let clock = TestClock()
        let (expiry, scope) = (clock.now, Scope(projectID: "p"))
        let retention = ExpiredRows.Retention(endedSessions: .zero, audit: try .everyClass(.zero), expiredCodes: .zero)
        let lead = LockedState<Duration?>(.seconds(86_400 * 500))
        var environment = clock.environment()
        environment.clockLead = { lead.withLock { $0 } }
        try await database.write { transaction throws in
            #expect(try transaction.useCredential(scope, hash: [1], expiresAt: expiry))
        }
        clock.advance(by: .seconds(86_400 * 500))
        let rows = ExpiredRows(database: database, environment: environment, retention: retention)
        #expect(try await rows.remove() == nil)
        #expect(try await !database.write { try $0.useCredential(scope, hash: [1], expiresAt: expiry) })
        lead.withLock { $0 = nil }
        #expect(try await rows.remove() == 1)
        try await database.close()
    }

    @Test("removes more than one batch of everything that has expired, and nothing else; one node at a time")
    func cleanUp() async throws {
        let database = try SQLiteDatabase(.memory, readers: 1, logger: LogCapture().logger())
        _ = try await Migrator.sqlite.migrate(database, now: 0)
        let clock = TestClock()
        let now = clock.now
        let scope = Scope(projectID: "p")
        try await database.write { transaction throws in
            for number in 0..<1203 {
                let old = now.advanced(by: .seconds(-61))
                _ = try transaction.useCredential(scope, hash: [UInt8(number % 256), UInt8(number / 256)], expiresAt: old)
            }
            _ = try transaction.useCredential(scope, hash: [9, 9, 9], expiresAt: now)
            for days in [0, 10, 500] {
                let time = now.advanced(by: .seconds(-86_400 * days))
                let event = AuditEvent(
                    eventID: "e\(days)",
                    occurredAt: time,
                    event: .signIn,
                    localID: nil,
                    actor: "user",
                    address: nil
                )
                try transaction.insertAuditEvent(scope, event)
                let session = SessionRecord(
                    tokenHash: [UInt8(days % 256)],
                    scope: scope,
                    localID: "u",
                    sessionID: "s",
                    signInProvider: "anonymous",
                    authTime: 0,
                    createdAt: time
                )
                try transaction.insertSession(session)
                if days > 0 { try transaction.revokeSessions(scope, localID: "u", at: time) }
            }
        }
        try await database.write { transaction throws in
            for days in [29, 31] {
                let expiry = now.advanced(by: .seconds(-86_400 * days))
                let code = OOBCodeRecord(
                    hash: [UInt8(days)],
                    type: .verifyEmail,
                    email: "a@example.com",
                    createdAt: expiry,
                    expiresAt: expiry
                )
                try transaction.insertOOBCode(scope, code)
            }
            for age in [0, 61] {
                let expiry = now.advanced(by: .seconds(-age))
                let flow = AuthorizationFlowRecord(
                    stateHash: [UInt8(age)],
                    scope: scope,
                    providerID: "google.com",
                    clientID: "client",
                    redirectURI: "https://app.example.com/",
                    sessionHash: [1],
                    secrets: "sealed",
                    createdAt: expiry,
                    expiresAt: expiry
                )
                try transaction.insertAuthorizationFlow(flow)
                try transaction.insertAnsweredFlow(AnsweredFlowRecord(of: flow, answerHash: [2], expiresAt: expiry))
            }
            for (bucket, age) in [("quiet", 7200), ("busy", 0)] {
                let time = now.advanced(by: .seconds(-age))
                _ = try transaction.countThrottle(scope, bucket: bucket, at: time, window: .fixed(.seconds(3600)))
            }
        }
        let month = Duration.seconds(86_400 * 30)
        let audit = try AuditRetention.everyClass(.seconds(86_400 * 400))
        let retention = ExpiredRows.Retention(endedSessions: month, audit: audit, expiredCodes: month)
        // Only records with a place are removed.
        let sequencer = AuditSequencer(database: database, environment: clock.environment(), signer: try .test())
        #expect(try await sequencer.sequence() == 2)
        let one = ExpiredRows(database: database, environment: clock.environment(), retention: retention)
        let other = ExpiredRows(database: database, environment: clock.environment(), retention: retention)
        #expect(try await one.remove() == 1209)
        #expect(try await other.remove() == nil)
        clock.advance(by: .seconds(126))
        #expect(try await other.remove() == 3)
        #expect(try await one.remove() == nil)
        try await database.close()
    }
}
