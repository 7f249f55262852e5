import Dispatch
import Foundation
import GRDB
import Storage
import Testing

@Suite("SQLite", .timeLimit(.minutes(15)))
struct SQLiteDatabaseTests {
    @Test("the writer flushes every commit, in WAL mode, with foreign keys on")
    func pragmas() async throws {
        try await withTemporaryDirectory { directory in
            let database = try SQLiteDatabase(.file(directory.path + "/a.sqlite"), readers: 2, logger: quiet)
            // `synchronous` has no table-valued form; 2 is FULL.
            let synchronous = try await database.write { try $0.queryOne("PRAGMA synchronous")?.integer("synchronous") }
            #expect(synchronous == 2)
            #expect(try await database.pragma("journal_mode") == "wal")
            #expect(try await database.pragma("foreign_keys") == "1")
            try await database.close()
        }
    }

    @Test("the files and the directories above them are their owner's alone")
    func modes() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.path + "/deep/down/a.sqlite"
            let database = try SQLiteDatabase(.file(path), readers: 1, logger: quiet)
            _ = try await database.write { try $0.execute("CREATE TABLE things (id TEXT)") }
            for file in [path, path + "-wal", path + "-shm"] { #expect(try mode(file) == 0o600) }
            #expect(try mode(directory.path + "/deep") == 0o700)
            try await database.close()
        }
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("an existing file keeps its rows and its mode")
    func reopening() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.path + "/a.sqlite"
            var database = try SQLiteDatabase(.file(path), readers: 1, logger: quiet)
            _ = try await database.write { try $0.execute("CREATE TABLE things (id TEXT)") }
            _ = try await database.write { try $0.execute("INSERT INTO things (id) VALUES ('a')") }
            try await database.close()
            // Closing moves the log into the file and removes it.
            #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
            database = try SQLiteDatabase(.file(path), readers: 1, logger: quiet)
            #expect(try await database.read { try $0.query("SELECT id FROM things") }.count == 1)
            #expect(try mode(path) == 0o640)
            try await database.close()
        }
    }

    @Test("a directory whose lock somebody keeps is given up, and says so")
    func keptLock() async throws {
        try await withTemporaryDirectory { directory in
            let descriptor = open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            defer { close(descriptor) }
            #expect(flock(descriptor, LOCK_EX) == 0)
            let path = directory.path + "/a.sqlite"
            let reason = StorageError.unavailable("the directory \(directory.path) is locked by another process")
            #expect(throws: reason) {
                try SQLiteDatabase(.file(path), readers: 1, busyTimeout: .milliseconds(20), logger: quiet)
            }
            #expect(flock(descriptor, LOCK_UN) == 0)
            try await SQLiteDatabase(.file(path), readers: 1, logger: quiet).close()
        }
    }

    @Test("a path that means something else to SQLite is a file's name", arguments: ["file:x?mode=memory", ":memory:", "a b"])
    func oddNames(name: String) async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.path + "/" + name
            let database = try SQLiteDatabase(.file(path), readers: 1, logger: quiet)
            try await database.ping()
            #expect(FileManager.default.fileExists(atPath: path))
            try await database.close()
        }
    }

    @Test("what cannot be opened is unavailable")
    func unavailable() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appending(component: "text")
            try Data(repeating: 0x41, count: 5000).write(to: file)
            for path in [file.path, file.path + "/below", directory.path] {
                let error = #expect(throws: StorageError.self) { try SQLiteDatabase(.file(path), readers: 1, logger: quiet) }
                guard case .unavailable = error else {
                    Issue.record("unexpected \(error as Any)")
                    continue
                }
            }
        }
    }

    @Test("several may open one new file at once")
    func openingTogether() async throws {
        try await withTemporaryDirectory { directory in
            // A refusal would not occur every time.
            for round in 0..<20 {
                let path = directory.path + "/new\(round).sqlite"
                try await withThrowingTaskGroup(of: SQLiteDatabase.self) { group in
                    for _ in 0..<4 { group.addTask { try SQLiteDatabase(.file(path), readers: 2, logger: quiet) } }
                    for try await database in group {
                        try await database.ping()
                        try await database.close()
                    }
                }
            }
        }
    }

    @Test("a file that another process keeps locked is busy after the timeout")
    func busy() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.path + "/a.sqlite"
            let database = try SQLiteDatabase(.file(path), readers: 1, busyTimeout: .milliseconds(20), logger: quiet)
            var configuration = Configuration()
            configuration.allowsUnsafeTransactions = true
            let other = try DatabaseQueue(path: path, configuration: configuration)
            await #expect(throws: StorageError.busy) {
                try await other.whileLocked { _ = try await database.write { try $0.execute("CREATE TABLE t (id TEXT)") } }
            }
            _ = try await database.write { try $0.execute("CREATE TABLE t (id TEXT)") }
            try other.close()
            try await database.close()
        }
    }

    @Test("statements of ever new shapes do not pile up")
    func statementCache() async throws {
        try await withTemporaryDirectory { directory in
            let database = try SQLiteDatabase(.file(directory.path + "/a.sqlite"), readers: 1, logger: quiet)
            let sum = try await database.read { transaction in
                try (0..<2000).reduce(Int64(0)) { sum, number in
                    try sum + (transaction.queryOne("SELECT \(1) AS n /* \(raw: "\(number)") */")?.integer("n") ?? 0)
                }
            }
            #expect(sum == 2000)
            let statements = try await database.read { try $0.queryOne("SELECT count(*) AS n FROM sqlite_stmt") }
            #expect(try #require(statements).integer("n") <= 520)
            try await database.close()
        }
    }

    @Test("a floating-point number is not read as anything else")
    func floatingPoint() async throws {
        let database = try SQLiteDatabase(.memory, readers: 1, logger: quiet)
        await #expect(throws: StorageError.decoding(column: "x")) {
            try await database.read { try $0.query("SELECT 1.5 AS x") }
        }
        try await database.close()
    }

    @Test("a statement with a placeholder of its own is refused")
    func strayPlaceholder() async throws {
        let database = try SQLiteDatabase(.memory, readers: 1, logger: quiet)
        await #expect(throws: StorageError.other("the statement has other placeholders than its 1 binds")) {
            try await database.read { try $0.query("SELECT ? AS x, \(1) AS y") }
        }
        try await database.close()
    }

    @Test("databases in memory are apart from each other")
    func inMemory() async throws {
        let (one, two) = (
            try SQLiteDatabase(.memory, readers: 1, logger: quiet), try SQLiteDatabase(.memory, readers: 8, logger: quiet)
        )
        for database in [one, two] { _ = try await database.write { try $0.execute("CREATE TABLE things (id TEXT)") } }
        _ = try await one.write { try $0.execute("INSERT INTO things (id) VALUES ('a')") }
        #expect(try await two.read { try $0.query("SELECT id FROM things") }.isEmpty)
        try await one.close()
        try await two.close()
    }
}

extension DatabaseQueue {
    /// Holds the write lock while a body runs.
    fileprivate func whileLocked(_ body: () async throws -> Void) async throws {
        try await writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        defer { try? inDatabase { try $0.execute(sql: "ROLLBACK") } }
        try await body()
    }

    @Test("is not good while another process holds its lock, and good again by itself (OPS-02)")
    func heldLock() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.appending(component: "held.sqlite").path
            let holder = try SQLiteDatabase(.file(path), readers: 1, logger: quiet)
            _ = try await Migrator.sqlite.migrate(holder, now: 0)
            let database = try SQLiteDatabase(.file(path), readers: 1, busyTimeout: .milliseconds(50), logger: quiet)
            let (held, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            async let holding: Void = holder.write { _ in
                held.signal()
                release.wait()
            }
            await held.signalled()
            try await database.ping()
            await #expect(throws: StorageError.busy) { try await database.write { try $0.execute("DELETE FROM leases") } }
            await #expect(throws: StorageError.busy) { try await database.ping() }
            release.signal()
            try await holding
            try await database.ping()
            try await database.close()
            try await holder.close()
        }
    }
}
