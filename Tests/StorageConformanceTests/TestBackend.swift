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

    /// The migrator of the engine.
    var migrator: Migrator { self == .postgreSQL ? .postgreSQL : .sqlite }

    /// Runs a test on a store of its own, which is removed afterwards.
    func withDatabase(_ body: (any Database) async throws -> Void) async throws {
        try await withNodes(1) { try await body($0[0]) }
    }

    /// Runs a test on several nodes that share one store of their own.
    func withNodes(_ count: Int, _ body: ([any Database]) async throws -> Void) async throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        switch self {
        case .sqlite:
            try await withTemporaryDirectory { directory in
                let nodes = try (0..<count).map { _ in
                    try SQLiteDatabase(
                        .file(directory + "/test.sqlite"),
                        readers: 4,
                        busyTimeout: Self.patience,
                        logger: logger
                    )
                }
                try await run(on: nodes, body)
            }
        case .sqliteInMemory:
            try await run(on: (0..<count).map { _ in try SQLiteDatabase(.memory, readers: 4, logger: logger) }, body)
        case .postgreSQL:
            try await ThrowawayPostgreSQL.shared().withDatabase { uri in
                let nodes = try (0..<count).map { _ in
                    try PostgreSQLDatabase(
                        uri: uri,
                        limits: .init(connections: 4, patience: Self.patience),
                        logger: logger
                    )
                }
                try await run(on: nodes, body)
            }
        }
    }

    private func run(on nodes: [any Database], _ body: ([any Database]) async throws -> Void) async throws {
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body(nodes)) } catch { outcome = .failure(error) }
        for node in nodes { try await node.close() }
        try outcome.get()
    }
}

/// An error of a write's own body.
struct Refusal: Error, Equatable {}

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

    /// How many rows a table has.
    func count(_ table: String) async throws -> Int64 {
        try await #require(query("SELECT count(*) AS n FROM \(raw: table)").first).integer("n")
    }
}

extension TestBackend {
    /// Runs a test on a store of its own that has Postern's schema.
    func withSchema(_ body: (any Database) async throws -> Void) async throws {
        try await withDatabase { database in
            _ = try await migrator.migrate(database, now: 0)
            try await body(database)
        }
    }
}
