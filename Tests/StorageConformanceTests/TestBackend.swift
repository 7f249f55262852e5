import Foundation
import Logging
import Storage
import Testing

/// An engine under test. The whole suite runs on each of ``available``; another engine is one more case here.
enum TestBackend: String, Sendable, CustomTestStringConvertible {
    case sqlite
    case sqliteInMemory

    static let available: [TestBackend] = [.sqlite, .sqliteInMemory]

    /// Those where several nodes, and a read and a write, can be at work at once.
    static let concurrent: [TestBackend] = [.sqlite]

    var testDescription: String { rawValue }

    /// Runs a test on a store of its own, which is removed afterwards.
    func withDatabase(_ body: (any Database) async throws -> Void) async throws {
        try await withNodes(1) { try await body($0[0]) }
    }

    /// Runs a test on several nodes that share one store of their own.
    func withNodes(_ count: Int, _ body: ([any Database]) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(component: "postern-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let nodes = try (0..<count).map { _ in try open(in: directory) }
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body(nodes)) } catch { outcome = .failure(error) }
        for node in nodes { try await node.close() }
        try outcome.get()
    }

    private func open(in directory: URL) throws -> any Database {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return switch self {
        case .sqlite: try SQLiteDatabase(.file(directory.path + "/test.sqlite"), readers: 4, logger: logger)
        case .sqliteInMemory: try SQLiteDatabase(.memory, readers: 4, logger: logger)
        }
    }
}

/// A failure of a write body's own.
struct Refusal: Error, Equatable {}

extension Database {
    /// Makes the table that most tests use.
    func makeThings() async throws {
        try await execute("CREATE TABLE things (id TEXT NOT NULL, label TEXT, number BIGINT, data BYTEA, PRIMARY KEY (id))")
    }

    /// One statement as a transaction of its own.
    @discardableResult
    func execute(_ sql: SQL) async throws -> Int { try await write { try $0.execute(sql) } }

    /// One query as a transaction of its own.
    func query(_ sql: SQL) async throws -> [Row] { try await read { try $0.query(sql) } }

    /// How many rows a table has.
    func count(_ table: String) async throws -> Int64 {
        try await #require(query("SELECT count(*) AS n FROM \(raw: table)").first).integer("n")
    }
}

extension TestBackend {
    /// The migrations of the engine.
    var migrator: Migrator { .sqlite }

    /// Runs a test on a store of its own that has Postern's schema.
    func withSchema(_ body: (any Database) async throws -> Void) async throws {
        try await withDatabase { database in
            _ = try await migrator.migrate(database, now: 0)
            try await body(database)
        }
    }
}
