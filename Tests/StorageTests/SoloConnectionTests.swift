import GRDB
import Project
import Testing

@testable import Storage

@Suite("The one connection of a database in memory", .timeLimit(.minutes(5)))
struct SoloConnectionTests {
    private struct Failed: Error {}

    private func make() async throws -> SoloConnection {
        let solo = SoloConnection(connection: try DatabaseQueue())
        _ = try await solo.submit(isReadOnly: false) { try $0.execute("CREATE TABLE numbers (number BIGINT NOT NULL UNIQUE)") }
        return solo
    }

    private func count(_ solo: SoloConnection) async throws -> Int64 {
        try await solo.submit(isReadOnly: true) { try $0.queryOne("SELECT COUNT(*) AS n FROM numbers")?.integer("n") ?? -1 }
    }

    @Test("many callers at once lose no transaction, and none runs beside another")
    func many() async throws {
        let solo = try await make()
        let running = LockedState(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<2000 {
                group.addTask {
                    try await solo.submit(isReadOnly: number % 4 == 0) { transaction in
                        let others = running.withLock { running in
                            running += 1
                            return running - 1
                        }
                        #expect(others == 0)
                        defer { running.withLock { $0 -= 1 } }
                        if number % 4 != 0 { try transaction.execute("INSERT INTO numbers VALUES (\(number))") }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await count(solo) == 1500)
        #expect(solo.load.waiting == 0)
        await solo.close()
    }

    @Test("a body that throws, and one that ignores the failure of a statement, change nothing")
    func failures() async throws {
        let solo = try await make()
        await #expect(throws: Failed.self) {
            try await solo.submit(isReadOnly: false) { transaction in
                try transaction.execute("INSERT INTO numbers VALUES (1)")
                throw Failed()
            }
        }
        await #expect(throws: StorageError.self) {
            try await solo.submit(isReadOnly: false) { transaction in
                try transaction.execute("INSERT INTO numbers VALUES (2)")
                _ = try? transaction.execute("INSERT INTO numbers VALUES (2)")
            }
        }
        #expect(try await count(solo) == 0)
        try await solo.submit(isReadOnly: false) { _ = try $0.execute("INSERT INTO numbers VALUES (3)") }
        #expect(try await count(solo) == 1)
        await solo.close()
    }

    @Test("a read cannot write")
    func reading() async throws {
        let solo = try await make()
        await #expect(throws: StorageError.readOnly) {
            try await solo.submit(isReadOnly: true) { _ = try $0.execute("INSERT INTO numbers VALUES (1)") }
        }
        #expect(try await count(solo) == 0)
        await solo.close()
    }

    @Test("once closed it refuses what comes, after it has done what waited")
    func closing() async throws {
        let solo = try await make()
        await solo.close()
        await #expect(throws: StorageError.closed) { _ = try await count(solo) }
        await solo.close()
    }
}
