import Dispatch
import Logging
import Project
import TestKit
import Testing

@testable import Storage

@Suite("A disk that is full under PostgreSQL (OPS-12)", .timeLimit(.minutes(15)))
struct PostgreSQLFullDiskTests {
    private func withDatabase(_ body: (PostgreSQLDatabase) async throws -> Void) async throws {
        try await ThrowawayPostgreSQL.shared().withDatabase { uri in
            let limits = PostgreSQLDatabase.Limits(connections: 2, patience: .seconds(600))
            let database = try PostgreSQLDatabase(uri: uri, limits: limits, logger: quiet)
            for statement in [
                "CREATE TABLE leases (name TEXT PRIMARY KEY, holder TEXT NOT NULL, expires_at BIGINT NOT NULL)",
                "CREATE TABLE sizes (name TEXT NOT NULL, bytes BIGINT NOT NULL)",
            ] as [SQL] { _ = try await database.write { try $0.execute(statement) } }
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await body(database)) } catch { outcome = .failure(error) }
            try await database.close()
            try outcome.get()
        }
    }

    private func fail(_ database: PostgreSQLDatabase, _ state: String) async {
        await #expect(throws: StorageError.self) {
            try await database.write {
                _ = try $0.execute("DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '\(raw: state)'; END $$")
            }
        }
    }

    private func isGood(_ database: PostgreSQLDatabase) async -> Bool { (try? await database.ping()) != nil }

    @Test("is not taken for over while tables cannot grow, whatever fits into the pages that there are")
    func verdictHolds() async throws {
        try await withDatabase { database in
            // No table can be created or extended. Rows that fit into existing pages are written.
            for statement in [
                """
                CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$
                """, "CREATE EVENT TRIGGER full_disk ON ddl_command_start WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION refuse()",
            ] as [SQL] { _ = try await database.write { try $0.execute(statement) } }
            await fail(database, "53100")
            for _ in 0..<3 {
                #expect(await !isGood(database))
                _ = try await database.write { try $0.execute("INSERT INTO sizes (name, bytes) VALUES ('small', 1)") }
            }
            _ = try await database.write { try $0.execute("DROP EVENT TRIGGER full_disk") }
            try await eventually { await isGood(database) }
        }
    }

    @Test("is looked for with bytes that cannot be compressed, in a table that is there for nothing else")
    func material() async throws {
        try await withDatabase { database in
            for statement in [
                """
                CREATE FUNCTION note() RETURNS event_trigger LANGUAGE plpgsql AS
                $$ BEGIN
                    INSERT INTO sizes (name, bytes)
                    SELECT relname, pg_total_relation_size(oid) FROM pg_class WHERE relname LIKE 'postern_write_probe_%';
                END $$
                """, "CREATE EVENT TRIGGER note_sizes ON ddl_command_start WHEN TAG IN ('DROP TABLE') EXECUTE FUNCTION note()",
            ] as [SQL] { _ = try await database.write { try $0.execute(statement) } }
            await fail(database, "53100")
            try await eventually { await isGood(database) }
            let sizes = try await database.read { try $0.query("SELECT bytes FROM sizes").map { try $0.integer("bytes") } }
            #expect(sizes.count == 1 && sizes.allSatisfy { $0 >= 1 << 16 }, "\(sizes)")
            let left = try await database.read {
                try $0.query("SELECT 1 AS n FROM pg_class WHERE relname LIKE 'postern_write_probe_%'").count
            }
            #expect(left == 0)
            let stored = try await database.read {
                try $0.queryOne("SELECT pg_column_size(holder) AS n FROM leases")?.integer("n")
            }
            #expect(stored ?? 0 >= 1 << 16)
        }
    }

    @Test("is looked for by the usual write alone where no table may be made, and not after a mere conflict")
    func otherDoubts() async throws {
        try await withDatabase { database in
            for statement in [
                """
                CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'permission denied' USING ERRCODE = '42501'; END $$
                """, "CREATE EVENT TRIGGER no_tables ON ddl_command_start WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION refuse()",
            ] as [SQL] { _ = try await database.write { try $0.execute(statement) } }
            for state in ["53100", "55P03"] {
                await fail(database, state)
                try await eventually { await isGood(database) }
            }
        }
    }
}
