import Foundation
import Migrations
import Testing

@testable import Storage

/// Rules for SQL that CockroachDB and YugabyteDB understand besides PostgreSQL (`Docs/PostgreSQL.md`).
@Suite("SQL for distributed engines")
struct DistributedSQLTests {
    /// What one of those engines lacks, or what is costly on all nodes at once, as a regular expression.
    private static let foreign = [
        #"\b(SMALL|BIG)?SERIAL\b"#, #"\bSEQUENCE\b"#, #"\bnextval\b"#, #"\bGENERATED\b"#, #"\bpg_(try_)?advisory"#,
        #"\b(LISTEN|UNLISTEN|NOTIFY)\b"#, #"\bpg_notify\b"#, #"\bTRIGGER\b"#, #"\bFUNCTION\b"#, #"\bPROCEDURE\b"#, #"\bDO \$"#,
        #"\bRULE\b"#, #"\bDOMAIN\b"#, #"\bEXTENSION\b"#, #"\bEXCLUDE\b"#, #"\bDEFERRABLE\b"#, #"\bLOCK TABLE\b"#,
        #"\bTEMP(ORARY)?\b"#, #"\bUNLOGGED\b"#, #"\bINHERITS\b"#, #"\bTABLESPACE\b"#, #"\bUSING (gin|gist|brin|hash|spgist)\b"#,
        #"\bctid\b"#, #"\bxmin\b"#,
        #"\bSAVEPOINT\b"#, #"\bDECLARE\b"#, #"\bCONCURRENTLY\b"#, #"\bVACUUM\b"#,
    ]

    /// The types of columns, alike on every engine.
    private static let types: Set = ["TEXT", "BIGINT", "BYTEA"]

    /// Migrations that were released before a rule, and cannot be changed.
    private static let mixesSchemaAndRows: Set = [16]

    private static func faults(of statement: String) throws -> [String] {
        try foreign.filter { statement.contains(try Regex($0).ignoresCase()) }
    }

    private static func statements(of script: String) -> [String] {
        let lines = script.split(separator: "\n").map { $0.prefix(upTo: $0.firstRange(of: "--")?.lowerBound ?? $0.endIndex) }
        return lines.joined(separator: " ").split(separator: ";")
            .map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }.filter { !$0.isEmpty }
    }

    private static func changesSchema(_ statement: String) -> Bool {
        ["CREATE ", "ALTER ", "DROP "].contains { statement.hasPrefix($0) }
    }

    @Test(
        "is told from what only PostgreSQL has",
        arguments: [
            "CREATE TABLE a (id BIGSERIAL)", "CREATE TABLE a (id BIGINT GENERATED ALWAYS AS IDENTITY)", "SELECT nextval('a')",
            "SELECT pg_advisory_xact_lock(1)", "NOTIFY changes", "SELECT pg_notify('a', 'b')",
            "CREATE CONSTRAINT TRIGGER a AFTER INSERT ON b", "DO $$ BEGIN END $$", "CREATE INDEX a ON b USING gin (c)",
            "CREATE INDEX CONCURRENTLY a ON b (c)", "lock table a", "DELETE FROM a WHERE ctid = '(0,1)'",
        ]
    )
    func detection(statement: String) throws { #expect(try !Self.faults(of: statement).isEmpty) }

    @Test("is all that migrations have: tables with a primary key and columns of three types, indexes, and changes of rows")
    func migrations() throws {
        for migration in MigrationStep.all {
            let statements = Self.statements(of: migration.postgreSQL)
            #expect(!statements.isEmpty, "\(migration.version)")
            for statement in statements {
                #expect(try Self.faults(of: statement) == [], "\(migration.version): \(statement)")
                if let added = statement.firstMatch(of: /^ALTER TABLE [a-z_]+ (.*)$/)?.1 {
                    let type = added.firstMatch(of: /^ADD COLUMN [a-z_]+ ([A-Z]+)/).map { String($0.1) }
                    #expect(Self.types.contains(type ?? ""), "\(migration.version): \(statement)")
                } else if let table = statement.firstMatch(of: /^CREATE TABLE [a-z_]+ \((.*)\)$/)?.1 {
                    #expect(table.contains("PRIMARY KEY ("), "\(migration.version): \(statement)")
                    for column in table.matches(of: /(?:^| )([a-z_]+) ([A-Z]+)\b/) where column.2 != "ON" {
                        #expect(Self.types.contains(String(column.2)), "\(migration.version): \(column.0)")
                    }
                } else {
                    let form = /^(CREATE (UNIQUE )?INDEX|DROP INDEX|UPDATE|DELETE FROM|INSERT INTO) [a-z_]+/
                    #expect(statement.firstMatch(of: form) != nil, "\(migration.version): \(statement)")
                }
            }
        }
    }

    @Test("changes a schema in one migration and rows in another: CockroachDB fills no column in the transaction that adds it")
    func separateMigrations() {
        for migration in MigrationStep.all where !Self.mixesSchemaAndRows.contains(migration.version) {
            let kinds = Set(Self.statements(of: migration.postgreSQL).map(Self.changesSchema))
            #expect(kinds.count == 1, "\(migration.version)")
        }
    }

    @Test("is all that the server's statements have")
    func sources() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources").standardized
        let literal = /"""(?:.|\n)*?"""|"(?:[^"\\\n]|\\.)*"/
        let verb = /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE TABLE|DROP TABLE|WHERE|ON CONFLICT)\b/
        var count = 0
        let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            guard text.contains(verb) else { continue }
            for match in text.matches(of: literal) where match.0.contains(verb) {
                let statement = String(match.0)
                count += 1
                #expect(try Self.faults(of: statement) == [], "\(file.lastPathComponent): \(statement)")
                // The view of standbys is asked for a metric only, which is left out where there is no such view.
                let isOwn = statement.contains(/\bpg_(?!backend_pid\(\)|stat_replication\b)/)
                #expect(!isOwn, "\(file.lastPathComponent): \(statement)")
            }
        }
        #expect(count > 80)
    }

    @Test("is repeated after the codes for conflicts, and never after the code for an unknown outcome")
    func codes() {
        func failure(_ state: String) -> PostgreSQLFailure {
            PostgreSQLFailure(state: state, isFatal: false, message: "restart transaction", constraint: "")
        }
        #expect(failure("40001") == .conflict)
        #expect(failure("40P01") == .conflict)
        #expect(failure("40003") == .unknown)
        var tries = PostgreSQLWorker.Tries(limits: .init(connections: 1), ends: nil)
        #expect(tries.next(after: failure("40003"), seed: 0) == .giveUp)
        #expect(tries.next(after: failure("40001"), seed: 0) != .giveUp)
        #expect(tries.next(after: .silent(for: .seconds(3)), seed: 0) == .giveUp)
    }
}
