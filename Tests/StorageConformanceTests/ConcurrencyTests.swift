import Storage
import Testing

@Suite("Concurrency", .teardown, .timeLimit(.minutes(15)))
struct ConcurrencyTests {
    @Test("200 increments of one row at once all count", arguments: TestBackend.available)
    func increments(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await database.makeThings()
        try await database.execute("INSERT INTO things (id, number) VALUES ('a', 0)")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    // A read followed by a write, which a weak isolation would lose.
                    try await database.write { transaction in
                        let number = try transaction.queryOne("SELECT number FROM things WHERE id = 'a'")?.integer("number")
                        try transaction.execute("UPDATE things SET number = \((number ?? 0) + 1) WHERE id = 'a'")
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await database.query("SELECT number FROM things").first?.integer("number") == 200)
    }

    @Test("of 100 racing inserts of one key exactly one succeeds", arguments: TestBackend.available)
    func racingInserts(backend: TestBackend) async throws {
        try await race(on: [backend.makeDatabase()])
    }

    @Test("of 100 racing inserts on two nodes exactly one succeeds", arguments: TestBackend.concurrent)
    func racingInsertsAcrossNodes(backend: TestBackend) async throws {
        try await race(on: backend.makeNodes(2))
    }

    private func race(on nodes: [any Database]) async throws {
        try await nodes[0].makeThings()
        let errors = await withTaskGroup(of: (any Error)?.self) { group in
            for number in 0..<100 {
                let node = nodes[number % nodes.count]
                group.addTask {
                    do {
                        try await node.execute("INSERT INTO things (id, number) VALUES ('same', \(number))")
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            return await group.reduce(into: [(any Error)?]()) { $0.append($1) }
        }
        #expect(errors.count { $0 == nil } == 1)
        #expect(errors.count { $0 as? StorageError == .uniqueViolation(index: "things_pkey") } == 99)
        #expect(try await nodes[0].count("things") == 1)
    }

    @Test("writers on two nodes lose nothing", arguments: TestBackend.concurrent)
    func writersAcrossNodes(backend: TestBackend) async throws {
        let nodes = try await backend.makeNodes(2)
        try await nodes[0].makeThings()
        try await nodes[0].execute("INSERT INTO things (id, number) VALUES ('sum', 0)")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    try await nodes[number % 2].write { transaction in
                        try transaction.execute("INSERT INTO things (id) VALUES (\("t\(number)"))")
                        try transaction.execute("UPDATE things SET number = number + \(number) WHERE id = 'sum'")
                    }
                }
            }
            try await group.waitForAll()
        }
        for node in nodes {
            #expect(try await node.count("things") == 101)
            let sum = try await node.query("SELECT number FROM things WHERE id = 'sum'").first
            #expect(try sum?.integer("number") == 4950)
        }
    }

    @Test("reads during writes see whole transactions only", arguments: TestBackend.available)
    func readsDuringWrites(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await database.makeThings()
        try await database.execute("INSERT INTO things (id, number) VALUES ('debit', 0), ('credit', 0)")
        try await withThrowingTaskGroup(of: Int64.self) { group in
            for number in 1...100 {
                group.addTask {
                    try await database.write { transaction in
                        try transaction.execute("UPDATE things SET number = number - \(number) WHERE id = 'debit'")
                        try transaction.execute("UPDATE things SET number = number + \(number) WHERE id = 'credit'")
                    }
                    return 0
                }
                group.addTask {
                    try await database.read { transaction in
                        try transaction.query("SELECT number FROM things").reduce(0) { try $0 + $1.integer("number") }
                    }
                }
            }
            for try await sum in group { #expect(sum == 0) }
        }
    }

    @Test("an answered write is seen by every later read", arguments: TestBackend.available)
    func readsAfterWrites(backend: TestBackend) async throws {
        let database = try await backend.makeDatabase()
        try await database.makeThings()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<100 {
                group.addTask {
                    try await database.execute("INSERT INTO things (id) VALUES (\("t\(number)"))")
                    return try await database.query("SELECT id FROM things WHERE id = \("t\(number)")").count
                }
            }
            for try await count in group { #expect(count == 1) }
        }
    }
}
