import Foundation
import Logging
import TestKit
import Testing

@testable import Storage

@Suite("A pooler in front of PostgreSQL (OPS-10)", .timeLimit(.minutes(15)))
struct PostgreSQLPoolerTests {
    private func store(_ uri: String, connections: Int = 2) throws -> PostgreSQLDatabase {
        try PostgreSQLDatabase(uri: uri, limits: .init(connections: connections, patience: .seconds(60)), logger: quiet)
    }

    @Test("a statement's name stands for its text and its types, and for nothing else")
    func names() {
        let statements = [
            PostgreSQLStatements.Prepared("SELECT $1", types: [20]), .init("SELECT $1", types: [0]),
            .init("SELECT $2", types: [20]),
            .init("SELECT $1", types: [2, 0]), .init("SELECT $1", types: []),
        ]
        #expect(Set(statements.map(\.name)).count == statements.count)
        #expect(PostgreSQLStatements.Prepared("SELECT $1", types: [20]).name == statements[0].name)
        // PostgreSQL truncates longer names.
        #expect(statements.allSatisfy { $0.name.utf8.count < 64 })
    }

    @Test("a statement that is prepared with its types is not prepared again, whichever came between")
    func plans() {
        var known = PostgreSQLStatements()
        for types in [[0], [20], [17], [20], [17], [0]] as [[UInt32]] {
            guard case .prepare(let statement) = known.plan("SELECT $1", types: types) else { continue }
            known.insert(statement, for: "SELECT $1")
        }
        for types in [[0], [20], [17]] as [[UInt32]] {
            guard case .run = known.plan("SELECT $1", types: types) else {
                Issue.record("\(types)")
                continue
            }
        }
    }

    @Test("is noticed at the start when it mixes sessions", .enabled(if: ThrowawayPostgreSQL.hasPooler))
    func check() async throws {
        let server = try await ThrowawayPostgreSQL.own()
        let pooled = try store(try await server.startPooler(.transaction))
        let error = await #expect(throws: StorageError.self) { try await pooled.checkSessions() }
        #expect("\(error as Any)".contains("pool_mode = session"))
        try await pooled.close()
        for uri in [try await server.startPooler(.session), server.uri()] {
            let database = try store(uri)
            try await database.checkSessions()
            try await database.ping()
            try await database.close()
        }
    }

    @Test(
        "does not hide that its server takes writes again after a promotion, and not that it takes none (OPS-09)",
        .enabled(if: ThrowawayPostgreSQL.hasPooler)
    )
    func staleWord() async throws {
        let server = try await ThrowawayPostgreSQL.own()
        let uri = try await server.startPooler(.session)
        let direct = try store(server.uri() + "&target_session_attrs=any", connections: 1)
        func setReadOnly(_ state: String) async throws {
            try await server.execute("ALTER SYSTEM SET default_transaction_read_only = \(state)")
            try await server.execute("SELECT pg_reload_conf()")
            try await eventually {
                try await direct.read {
                    try $0.queryOne("SHOW default_transaction_read_only")?.text("default_transaction_read_only")
                } == state
            }
        }
        try await setReadOnly("on")
        // The pooler keeps what the server says to its first client.
        let reader = try store(uri + "&target_session_attrs=any", connections: 1)
        try await reader.ping()
        let writer = try store(uri)
        await #expect(throws: StorageError.self) { try await writer.ping() }
        try await setReadOnly("off")
        try await eventually { (try? await writer.ping()) != nil }
        _ = try await writer.write { try $0.execute("CREATE TABLE things (id TEXT)") }
        try await setReadOnly("on")
        let late = try store(uri)
        await #expect(throws: StorageError.self) { try await late.ping() }
        for database in [direct, reader, writer, late] { try await database.close() }
    }

    @Test("never has another statement run than the one that was meant", .enabled(if: ThrowawayPostgreSQL.hasPooler))
    func mixedSessions() async throws {
        let server = try await ThrowawayPostgreSQL.own()
        let uri = try await server.startPooler(.transaction)
        let nodes = try (0..<3).map { _ in try store(uri, connections: 3) }
        let right = try await withThrowingTaskGroup(of: Int.self) { tasks in
            for (node, database) in nodes.enumerated() {
                for task in 0..<4 {
                    tasks.addTask {
                        var right = 0
                        for round in 0..<60 {
                            // Each node runs different statements, in a different order.
                            let number = (round * (node + 1) + task) % 40
                            do {
                                let found = try await database.read {
                                    try $0.queryOne("SELECT \(raw: String(number)) AS n, \(Int64(round)) AS m")
                                }
                                #expect(try found?.integer("n") == Int64(number))
                                #expect(try found?.integer("m") == Int64(round))
                                right += 1
                            } catch StorageError.unavailable {
                                // The sessions are mixed, and the refusal says so.
                            }
                        }
                        return right
                    }
                }
            }
            return try await tasks.reduce(0, +)
        }
        #expect(right > 0)
        for node in nodes { try await node.close() }
    }
}
