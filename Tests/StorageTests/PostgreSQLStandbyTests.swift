import Foundation
import Logging
import TestKit
import Testing

@testable import Storage

@Suite("A PostgreSQL that takes no writes (OPS-09)", .timeLimit(.minutes(15)))
struct PostgreSQLStandbyTests {
    private func store(_ uri: String) throws -> PostgreSQLDatabase {
        try PostgreSQLDatabase(uri: uri, limits: .init(connections: 1, patience: .seconds(600)), logger: quiet)
    }

    private func expectUnavailable(_ body: () async throws -> Void) async {
        let error = await #expect(throws: StorageError.self) { try await body() }
        guard case .unavailable = error else {
            Issue.record("unexpected \(error as Any)")
            return
        }
    }

    private func session(_ database: PostgreSQLDatabase) async throws -> Int64? {
        try await database.read { try $0.queryOne("SELECT pg_backend_pid() AS n")?.integer("n") }
    }

    @Test(
        "is no server to connect to unless the address says so; writes on it are refused as unavailable, and go on once it is promoted"
    )
    func switchover() async throws {
        let server = try await ThrowawayPostgreSQL.own()
        // A ping after a failed write writes to this table.
        try await server.execute("CREATE TABLE leases (name TEXT PRIMARY KEY, holder TEXT, expires_at BIGINT)")
        let uri = try await server.startStandby()
        let usual = try store(uri)
        await expectUnavailable { try await usual.ping() }
        // As behind an address that leads to any server.
        let any = try store(uri + "&target_session_attrs=any")
        let first = try await session(any)
        #expect(first != nil)
        for _ in 0..<2 {
            await expectUnavailable { _ = try await any.write { try $0.execute("CREATE TABLE things (id TEXT)") } }
            await #expect(throws: StorageError.self) { try await any.ping() }
        }
        #expect(try await session(any) != first)
        try await server.crash()
        let promoter = try store(uri + "&target_session_attrs=any")
        _ = try await promoter.read { try $0.query("SELECT pg_promote()") }
        for database in [usual, any] {
            // The first probe settles the doubt of the failed write.
            try await eventually { (try? await database.ping()) != nil }
            _ = try await database.write { try $0.execute("CREATE TABLE IF NOT EXISTS things (id TEXT)") }
        }
        for database in [usual, any, promoter] { try await database.close() }
    }

    @Test("costs a write its connection also where it says so only at the first change; a read that writes is told what it is")
    func readOnlySession() async throws {
        try await ThrowawayPostgreSQL.shared().withDatabase { uri in
            let database = try store(uri)
            _ = try await database.write { try $0.execute("CREATE TABLE things (id TEXT)") }
            let first = try await session(database)
            await #expect(throws: StorageError.readOnly) {
                try await database.read { _ = try $0.execute("INSERT INTO things (id) VALUES ('a')") }
            }
            #expect(try await session(database) == first)
            await expectUnavailable {
                try await database.write { transaction in
                    try transaction.execute("SET TRANSACTION READ ONLY")
                    try transaction.execute("INSERT INTO things (id) VALUES ('a')")
                }
            }
            #expect(try await session(database) != first)
            try await database.close()
        }
    }

    @Test("a connection on which a prepared statement is missing, or there already, or the protocol broken, is given up (OPS-10)")
    func foreignSessions() {
        for state in ["42P05", "26000", "08P01"] {
            let failure = PostgreSQLFailure(state: state, isFatal: false, message: "words", constraint: "")
            #expect(failure == .lost("words"), "\(state)")
            guard case .unavailable = failure.storageError else {
                Issue.record("\(state): \(failure.storageError)")
                continue
            }
        }
        let readOnly = PostgreSQLFailure(state: "25006", isFatal: false, message: "words", constraint: "")
        #expect(readOnly == .refused(.readOnly))
        #expect(readOnly.ofWriter == .lost("the server takes no writes"))
        #expect(PostgreSQLFailure.conflict.ofWriter == .conflict)
    }
}
