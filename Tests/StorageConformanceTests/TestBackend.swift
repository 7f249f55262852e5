import Logging
import TestKit
import Testing

@testable import Storage

/// An engine under test. The whole suite runs on each of ``available``. Another engine is one more case here.
enum TestBackend: String, Sendable, CustomTestStringConvertible {
    case sqlite
    case sqliteInMemory
    case postgreSQL

    static let available: [TestBackend] = [.sqlite, .sqliteInMemory, .postgreSQL]

    /// The engines on which several nodes, or a read and a write, can work at once.
    static let concurrent: [TestBackend] = [.sqlite, .postgreSQL]

    /// A machine that runs other tests is slow, so that no server may be given up.
    static let patience = Duration.seconds(600)

    var testDescription: String { rawValue }

    var migrator: Migrator { self == .postgreSQL ? .postgreSQL : .sqlite }

    /// A store that ends with the test.
    func makeDatabase() async throws -> any Database { try await makeNodes(1)[0] }

    /// Several nodes that share one store, which ends with the test.
    func makeNodes(_ count: Int) async throws -> [any Database] {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let location: String
        switch self {
        case .sqlite: location = try await makeTemporaryDirectory() + "/test.sqlite"
        case .sqliteInMemory: location = ""
        case .postgreSQL: location = try await ThrowawayPostgreSQL.shared().makeDatabase()
        }
        return try (0..<count).map { _ in
            let node: any Database =
                switch self {
                case .sqlite: try SQLiteDatabase(.file(location), readers: 4, busyTimeout: Self.patience, logger: logger)
                case .sqliteInMemory: try SQLiteDatabase(.memory, readers: 4, logger: logger)
                case .postgreSQL:
                    try PostgreSQLDatabase(
                        uri: location,
                        limits: .init(connections: 4, patience: Self.patience),
                        logger: logger
                    )
                }
            try Teardown.add { try await node.close() }
            return node
        }
    }
}

/// An error of a write's own body.
struct RollbackError: Error, Equatable {}

extension Database {
    /// Makes the table that most tests use.
    func makeThings() async throws {
        try await execute("CREATE TABLE things (id TEXT NOT NULL, label TEXT, number BIGINT, data BYTEA, PRIMARY KEY (id))")
    }

    /// Runs one statement in its own transaction.
    @discardableResult
    func execute(_ sql: SQL) async throws -> Int { try await write { try $0.execute(sql) } }

    /// Runs one query in its own transaction.
    func query(_ sql: SQL) async throws -> [Row] { try await read { try $0.query(sql) } }

    func count(_ table: String) async throws -> Int64 {
        try await #require(query("SELECT count(*) AS n FROM \(raw: table)").first).integer("n")
    }
}

extension TestBackend {
    /// A store with Postern's schema, which ends with the test.
    func makeSchema() async throws -> any Database {
        let database = try await makeDatabase()
        _ = try await migrator.migrate(database, now: 0)
        return database
    }
}
