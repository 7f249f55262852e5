import Project
import Storage
import Testing

@Suite("The e-mail outbox", .teardown, .timeLimit(.minutes(15)))
struct OutboxTests {
    private let scope = Scope(projectID: "p", tenantID: "t")

    private func time(_ seconds: Int64) -> Timestamp { Timestamp(seconds: seconds) }

    private func record(_ id: String, at seconds: Int64 = 100) -> OutboxRecord {
        OutboxRecord(
            messageID: id,
            scope: scope,
            payload: "sealed \(id)",
            createdAt: time(seconds),
            expiresAt: time(seconds + 3600)
        )
    }

    private func claim(_ database: any Database, _ lease: String, at seconds: Int64, limit: Int = 10) async throws
        -> [OutboxRecord]
    {
        let (now, end) = (time(seconds), time(seconds + 60))
        return try await database.write {
            try $0.claimOutboxMessages(leaseID: lease, now: now, leaseEnd: end, limit: limit)
        }
    }

    @Test("a message that is due is claimed as it was stored, and by one node only", arguments: TestBackend.available)
    func claim(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        let stored = record("a")
        try await database.write { try $0.insertOutboxMessage(stored) }
        #expect(try await claim(database, "early", at: 99).isEmpty)
        let claimed = try #require(try await claim(database, "one", at: 100).first)
        #expect(claimed.messageID == "a" && claimed.scope == scope && claimed.payload == "sealed a")
        #expect(claimed.createdAt == stored.createdAt && claimed.expiresAt == stored.expiresAt && claimed.attempts == 1)
        #expect(try await claim(database, "two", at: 159).isEmpty)
    }

    @Test("a message of a transaction that fails is never there", arguments: TestBackend.available)
    func rollback(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        let stored = record("a")
        await #expect(throws: RollbackError.self) {
            try await database.write { transaction in
                try transaction.insertOutboxMessage(stored)
                throw RollbackError()
            }
        }
        let claimed = try await claim(database, "one", at: 200)
        #expect(claimed.isEmpty)
    }

    @Test("a lease that ended goes to another node, and its first holder can no longer report", arguments: TestBackend.available)
    func lostLease(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        let (stored, now) = (record("a"), time(161))
        try await database.write { try $0.insertOutboxMessage(stored) }
        _ = try await claim(database, "dead node", at: 100)
        let second = try await claim(database, "two", at: 160)
        #expect(second.map(\.attempts) == [2])
        let reports = try await database.write { transaction in
            [
                try transaction.finishOutboxMessage("a", leaseID: "dead node", outcome: .sent, failure: nil, at: now),
                try transaction.postponeOutboxMessage("a", leaseID: "dead node", until: now, failure: "no"),
                try transaction.finishOutboxMessage("a", leaseID: "two", outcome: .sent, failure: nil, at: now),
                try transaction.finishOutboxMessage("a", leaseID: "two", outcome: .dead, failure: nil, at: now),
            ]
        }
        #expect(reports == [false, false, true, false])
    }

    @Test("a finished message keeps no payload and is never claimed again", arguments: TestBackend.available)
    func finish(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        let (stored, now) = (record("a"), time(101))
        try await database.write { try $0.insertOutboxMessage(stored) }
        _ = try await claim(database, "one", at: 100)
        try await database.write {
            #expect(try $0.countWaitingOutboxMessages() == 1)
            try $0.finishOutboxMessage("a", leaseID: "one", outcome: .dead, failure: "550", at: now)
            #expect(try $0.countWaitingOutboxMessages() == 0)
        }
        let row = try #require(try await database.query("SELECT * FROM email_outbox").first)
        #expect(try row.text("payload").isEmpty && row.text("outcome") == "dead" && row.text("last_failure") == "550")
        #expect(try await claim(database, "two", at: 10_000).isEmpty)
    }

    @Test("a postponed message comes back when it is due, and not before", arguments: TestBackend.available)
    func postpone(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        let (stored, due) = (record("a"), time(500))
        try await database.write { try $0.insertOutboxMessage(stored) }
        _ = try await claim(database, "one", at: 100)
        #expect(try await database.write { try $0.postponeOutboxMessage("a", leaseID: "one", until: due, failure: "451") })
        #expect(try await claim(database, "two", at: 499).isEmpty)
        #expect(try await claim(database, "two", at: 500).map(\.attempts) == [2])
    }

    @Test("the oldest are claimed first, as many as asked for", arguments: TestBackend.available)
    func order(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        let stored = [record("c", at: 103), record("a", at: 101), record("b", at: 102)]
        try await database.write { transaction in for one in stored { try transaction.insertOutboxMessage(one) } }
        #expect(Set(try await claim(database, "one", at: 200, limit: 2).map(\.messageID)) == ["a", "b"])
        #expect(try await claim(database, "two", at: 200, limit: 2).map(\.messageID) == ["c"])
    }

    @Test("finished messages are forgotten in batches once they are old, waiting ones never", arguments: TestBackend.available)
    func forget(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        let (stored, finished, later) = ((0..<5).map { record("\($0)") }, time(150), time(151))
        try await database.write { transaction in for one in stored { try transaction.insertOutboxMessage(one) } }
        _ = try await claim(database, "one", at: 100, limit: 5)
        try await database.write { transaction in
            for id in 0..<3 {
                try transaction.finishOutboxMessage("\(id)", leaseID: "one", outcome: .sent, failure: nil, at: finished)
            }
            #expect(try transaction.deleteFinishedOutboxMessages(before: finished, limit: 2) == 0)
            #expect(try transaction.deleteFinishedOutboxMessages(before: later, limit: 2) == 2)
            #expect(try transaction.deleteFinishedOutboxMessages(before: later, limit: 2) == 1)
        }
        #expect(try await database.count("email_outbox") == 2)
    }

    @Test("each kind of message has an outbox of its own", arguments: TestBackend.available)
    func kinds(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        let (stored, now, end) = (record("a"), time(100), time(200))
        try await database.write { transaction in
            for kind in OutboxKind.allCases { try transaction.insertOutboxMessage(stored, in: kind) }
            let claimed = try transaction.claimOutboxMessages(leaseID: "one", now: now, leaseEnd: end, limit: 10, in: .webhook)
            #expect(claimed.map(\.payload) == ["sealed a"])
            try transaction.finishOutboxMessage("a", leaseID: "one", outcome: .sent, failure: nil, at: now, in: .webhook)
            for kind in OutboxKind.allCases {
                #expect(try transaction.countWaitingOutboxMessages(in: kind) == (kind == .webhook ? 0 : 1))
            }
        }
    }

    @Test("nodes that claim at once never share a message", arguments: TestBackend.concurrent)
    func race(backend: TestBackend) async throws {
        let nodes = try await backend.makeNodes(2)
        try await backend.migrator.migrate(nodes[0], now: 0)
        let stored = (0..<60).map { record("\($0)") }
        try await nodes[0].write { transaction in for one in stored { try transaction.insertOutboxMessage(one) } }
        let claimed = try await withThrowingTaskGroup(of: [String].self) { group in
            for claimer in 0..<20 {
                group.addTask { try await claim(nodes[claimer % 2], "lease \(claimer)", at: 100, limit: 4).map(\.messageID) }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(claimed.count == 60)
        #expect(Set(claimed).count == 60)
    }
}
