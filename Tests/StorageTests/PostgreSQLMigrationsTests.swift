import Foundation
import Storage
import TestKit
import Testing

@Suite("PostgreSQL migrations", .timeLimit(.minutes(15)))
struct PostgreSQLMigrationsTests {
    @Test("both engines end up with the same tables, columns and indexes")
    func schema() async throws {
        let sqlite = try SQLiteDatabase(.memory, readers: 1, logger: quiet)
        try await Migrator.sqlite.migrate(sqlite, now: 0)
        let expectedColumns = try await sqlite.lines(
            """
            SELECT m.name || '.' || c.name || ' ' || c.type || ' ' || c."notnull" AS line
            FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY m.name, c.cid
            """
        )
        let expectedIndexes = try await sqlite.lines(
            """
            SELECT m.name || '.' || CASE i.origin WHEN 'pk' THEN m.name || '_pkey' ELSE i.name END || ' '
                || i."unique" || ' ' || i.partial || ' '
                || (SELECT group_concat(coalesce(c.name, 'expression'), ',') FROM pragma_index_info(i.name) c) AS line
            FROM sqlite_schema m, pragma_index_list(m.name) i WHERE m.type = 'table'
            """
        )
        try await sqlite.close()
        try await ThrowawayPostgreSQL.shared().withDatabase { uri in
            let database = try PostgreSQLDatabase(uri: uri, limits: .init(connections: 1, patience: .seconds(600)), logger: quiet)
            try await Migrator.postgreSQL.migrate(database, now: 0)
            #expect(try await Migrator.postgreSQL.migrate(database, now: 0).isEmpty)
            let columns = try await database.lines(
                """
                SELECT table_name || '.' || column_name || ' ' || upper(data_type) || ' '
                    || CASE is_nullable WHEN 'NO' THEN '1' ELSE '0' END AS line
                FROM information_schema.columns WHERE table_schema = 'public' ORDER BY table_name, ordinal_position
                """
            )
            let indexes = try await database.lines(
                """
                SELECT t.relname || '.' || i.relname || ' ' || x.indisunique::int || ' ' || (x.indpred IS NOT NULL)::int || ' '
                    || (SELECT string_agg(CASE x.indkey[a.attnum - 1] WHEN 0 THEN 'expression' ELSE a.attname END, ',' ORDER BY a.attnum)
                        FROM pg_attribute a WHERE a.attrelid = i.oid) AS line
                FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid
                    JOIN pg_namespace n ON n.oid = t.relnamespace AND n.nspname = 'public'
                """
            )
            #expect(columns == expectedColumns)
            // SQLite always compares bytes, but PostgreSQL needs separate indexes for that.
            let bytewise = [
                "accounts.accounts_local_id", "accounts.accounts_email", "accounts.accounts_phone", "throttles.throttles",
            ]
            .map { "\($0)_bytes " }
            let shared = indexes.filter { index in !bytewise.contains { index.hasPrefix($0) } }
            #expect(shared.sorted() == expectedIndexes.sorted())
            try await database.close()
        }
    }
}

@Suite("PostgreSQL without statistics", .timeLimit(.minutes(15)))
struct PostgreSQLPlanTests {
    @Test(
        "reads the row that is looked up, and no other of its project",
        arguments: [
            ("accounts", "local_id = 'a'", "accounts_pkey"), ("accounts", "email = 'a'", "accounts_email"),
            ("identities", "local_id = 'a'", "identities_pkey"),
            ("identities", "provider_id = 'a' AND raw_id = 'a'", "identities_raw_id"),
            ("sessions", "local_id = 'a' AND revoked_at IS NULL", "sessions_live"),
        ]
    )
    func lookups(table: String, condition: String, index: String) async throws {
        try await ThrowawayPostgreSQL.shared().withDatabase { uri in
            let database = try PostgreSQLDatabase(uri: uri, limits: .init(connections: 1, patience: .seconds(600)), logger: quiet)
            try await Migrator.postgreSQL.migrate(database, now: 0)
            let plan = try await database.read { transaction in
                try transaction.query(
                    """
                    EXPLAIN SELECT * FROM \(raw: table)
                    WHERE project_id = 'p' AND tenant_id = '' AND \(raw: condition)
                    """
                ).map { try $0.text("QUERY PLAN") }
            }
            let text = plan.joined(separator: "\n")
            #expect(text.contains(" \(index) "), "\(text)")
            #expect(!text.contains("Filter"), "\(text)")
            try await database.close()
        }
    }
}

extension Database {
    /// The texts of a query's column named `line`.
    fileprivate func lines(_ sql: SQL) async throws -> [String] {
        try await read { try $0.query(sql).map { try $0.text("line") } }
    }
}
