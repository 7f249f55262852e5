import Project
import Storage
import Testing

@Suite("Rows of nodes whose clocks are apart (OPS-11)", .teardown, .timeLimit(.minutes(15)))
struct ClockSkewTests {
    private static let scope = Scope(projectID: "p")
    private static let now = Timestamp(milliseconds: 1_700_000_000_400)

    private func session(_ name: String, at time: Timestamp) -> SessionRecord {
        SessionRecord(
            tokenHash: Array(name.utf8),
            scope: Self.scope,
            localID: "u",
            sessionID: name,
            signInProvider: "password",
            authTime: time.seconds,
            createdAt: time
        )
    }

    @Test("a later time of another node counts as far as clocks differ, and not as far as years do")
    func times() {
        let time = Self.now
        #expect(time.notBefore(nil) == time)
        #expect(time.notBefore(time - .seconds(5)) == time)
        #expect(time.notBefore(time.advanced(by: .seconds(5))) == time.advanced(by: .seconds(5)))
        #expect(time.notBefore(time.advanced(by: .seconds(60))) == time.advanced(by: .seconds(60)))
        #expect(time.notBefore(time.advanced(by: .seconds(61))) == time)
        #expect(time.notBefore(seconds: time.seconds) == time)
        #expect(time.notBefore(seconds: time.seconds + 1) == Timestamp(seconds: time.seconds + 1))
        #expect(time.notBefore(seconds: .max) == time)
    }

    @Test(
        "a session that begins on a slower node is the one used last, and the older one ends for it",
        arguments: TestBackend.available
    )
    func sessions(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        try await database.write { transaction throws in
            let ahead = Self.now.advanced(by: .seconds(5))
            try transaction.insertSession(session("older", at: ahead))
            try transaction.insertSession(session("newer", at: Self.now))
            try transaction.endSurplusSessions(Self.scope, localID: "u", keep: 1, at: Self.now)
            #expect(try transaction.liveSessions(Self.scope, localID: "u").map(\.sessionID) == ["newer"])
            // A use on a slower node does not make the session older. A time that was years ahead is ignored.
            try transaction.touchSession(tokenHash: Array("newer".utf8), at: Self.now)
            let used = try transaction.session(Self.scope, localID: "u", sessionID: "newer")?.lastUsedAt
            #expect(used == ahead.advanced(by: .milliseconds(1)))
            let long = Self.now - .seconds(3600)
            try transaction.touchSession(tokenHash: Array("newer".utf8), at: long)
            #expect(try transaction.session(Self.scope, localID: "u", sessionID: "newer")?.lastUsedAt == long)
            #expect(try transaction.session(Self.scope, localID: "v", sessionID: "newer") == nil)
            #expect(try transaction.session(Scope(projectID: "p", tenantID: "t"), localID: "u", sessionID: "newer") == nil)
        }
    }

    @Test(
        "a way back that is used ends newer ones to other addresses, and an older one stays however little older it is",
        arguments: TestBackend.available
    )
    func waysBack(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        try await database.write { transaction throws in
            func insert(_ name: String, _ seconds: Int) throws -> OOBCodeRecord {
                let created = Self.now.advanced(by: .seconds(seconds))
                var code = OOBCodeRecord(
                    hash: Array(name.utf8),
                    type: .recoverEmail,
                    email: "\(name)@b.c",
                    createdAt: created,
                    expiresAt: created.advanced(by: .seconds(3600))
                )
                code.localID = "u"
                try transaction.insertOOBCode(Self.scope, code)
                return code
            }
            let used = try insert("used", 0)
            let codes = try [insert("before", -6), insert("slower", -5), insert("after", 1)]
            try transaction.deleteWaysBack(Self.scope, localID: "u", overtakenBy: used, sparesNewer: false)
            let left = try codes.filter { try transaction.oobCode(Self.scope, hash: $0.hash) != nil }.map(\.email)
            #expect(left == ["before@b.c", "slower@b.c"])
        }
    }

    @Test(
        "ways back say how the account stood before the first of their changes, and one that was used without an end stays",
        arguments: TestBackend.available
    )
    func firstChange(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        try await database.write { transaction throws in
            func insert(_ name: String, _ seconds: Int, generation: Int64?, provenAt: Timestamp?) throws -> OOBCodeRecord {
                let created = Self.now.advanced(by: .seconds(seconds))
                var code = OOBCodeRecord(
                    hash: Array(name.utf8),
                    type: .recoverEmail,
                    email: "a@b.c",
                    createdAt: created,
                    expiresAt: created.advanced(by: .seconds(3600))
                )
                code.localID = "u"
                code.generation = generation
                code.provenAt = provenAt
                try transaction.insertOOBCode(Self.scope, code)
                return code
            }
            func first() throws -> FirstRecovery? { try transaction.firstRecovery(Self.scope, email: "a@b.c", localID: "u") }
            let proven = Self.now - .seconds(60)
            #expect(try first() == nil)
            // The clock of the node that made the first one was ahead.
            var used = try insert("first", 2, generation: 7, provenAt: proven)
            _ = try insert("second", 0, generation: 9, provenAt: Self.now)
            let both = try first()
            #expect(both?.createdAt == Self.now && both?.generation == 7 && both?.provenAt == proven)
            _ = try insert("unknown", 3, generation: nil, provenAt: nil)
            let unknown = try first()
            #expect(unknown?.createdAt == Self.now && unknown?.generation == nil && unknown?.provenAt == nil)
            try transaction.keepOOBCode(Self.scope, hash: used.hash, usedAt: Self.now, generation: 11)
            try transaction.deleteWaysBack(Self.scope, localID: "u", overtakenBy: used, sparesNewer: false)
            used.usedAt = Self.now
            used.generation = 11
            #expect(try transaction.oobCode(Self.scope, hash: used.hash) == used)
            #expect(try transaction.oobCodes(Self.scope).count == 1)
        }
    }

    @Test("a code dates from no time before its account's tokens became valid", arguments: TestBackend.available)
    func codes(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        try await database.write { transaction throws in
            for (localID, ahead) in [("far", 61), ("near", 5), ("past", -5), ("never", nil)] as [(String, Int64?)] {
                var account = AccountRecord(localID: localID, createdAt: Self.now)
                account.validSince = ahead.map { Self.now.seconds + $0 }
                try transaction.insertAccount(Self.scope, account)
                var code = OOBCodeRecord(
                    hash: Array(localID.utf8),
                    type: .verifyAndChangeEmail,
                    email: "a@b.c",
                    createdAt: Self.now,
                    expiresAt: Self.now.advanced(by: .seconds(3600))
                )
                code.localID = localID
                try transaction.insertOOBCode(Self.scope, code)
                let stored = try transaction.oobCode(Self.scope, hash: code.hash)
                let expected = localID == "near" ? Timestamp(seconds: Self.now.seconds + 5) : Self.now
                #expect(stored?.createdAt == expected, "\(localID)")
            }
            let code = OOBCodeRecord(hash: [1], type: .emailSignIn, email: "a@b.c", createdAt: Self.now, expiresAt: Self.now)
            try transaction.insertOOBCode(Self.scope, code)
            #expect(try transaction.oobCode(Self.scope, hash: [1]) == code)
        }
    }

    @Test("the time at which a store was seen only goes forward, unless an operator sets it", arguments: TestBackend.available)
    func storeClock(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        try await database.write { transaction throws in
            #expect(try transaction.storeClock() == nil)
            for (seconds, expected) in [(0, 0), (5, 5), (3, 5)] {
                try transaction.noteStoreClock(at: Self.now.advanced(by: .seconds(seconds)))
                let seen = Self.now.advanced(by: .seconds(expected))
                #expect(try transaction.storeClock() == StoreClockRecord(seenAt: seen, steadyAt: seen, confirmations: 0))
            }
            for confirmations in 1...2 as ClosedRange<Int64> {
                let time = Self.now - .seconds(3600)
                try transaction.confirmStoreClock(at: time)
                let confirmed = StoreClockRecord(seenAt: time, steadyAt: time, confirmations: confirmations)
                #expect(try transaction.storeClock() == confirmed)
            }
        }
    }

    @Test(
        "the time by which nodes in doubt count only goes forward, and not against an operator whom they have not heard",
        arguments: TestBackend.available
    )
    func steadyTime(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        try await database.write { transaction throws in
            func steady() throws -> Timestamp? { try transaction.storeClock()?.steadyAt }
            let later = Self.now.advanced(by: .seconds(60))
            try transaction.noteSteadyTime(later, confirmations: 0)
            #expect(try transaction.storeClock() == nil)
            try transaction.noteStoreClock(at: Self.now)
            for (seconds, expected) in [(60, 60), (5, 60), (61, 61)] {
                try transaction.noteSteadyTime(Self.now.advanced(by: .seconds(seconds)), confirmations: 0)
                #expect(try steady() == Self.now.advanced(by: .seconds(expected)))
            }
            #expect(try transaction.storeClock()?.seenAt == Self.now)
            #expect(try transaction.storeClock()?.time == Self.now.advanced(by: .seconds(61)))
            try transaction.confirmStoreClock(at: Self.now)
            try transaction.noteSteadyTime(later, confirmations: 0)
            #expect(try steady() == Self.now)
            try transaction.noteSteadyTime(later, confirmations: 1)
            #expect(try steady() == later)
            // A node that knows the time is right.
            let known = Self.now.advanced(by: .seconds(1))
            try transaction.noteStoreClock(at: known)
            #expect(try steady() == known)
        }
    }
}
