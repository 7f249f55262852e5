import Dispatch
import Foundation
import GRDB
import Project
import Synchronization
import Testing

@testable import Storage

@Suite("Group commit", .timeLimit(.minutes(15)))
struct WriteBatcherTests {
    @Test("writes that wait are one transaction, answered after its commit")
    func oneTransaction() async throws {
        try await withBatcher { batcher, observer in
            let gate = try await Gate(batcher)
            let answered = Notes()
            let (lastRuns, lastMayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...99 {
                    group.addTask {
                        try await batcher.insert(number)
                        answered.add(number)
                    }
                }
                await batcher.reaches(waiting: 99)
                group.addTask {
                    try await batcher.submit { transaction in
                        try transaction.execute("INSERT INTO things (id) VALUES (100)")
                        lastRuns.signal()
                        lastMayEnd.wait()
                    }
                }
                await batcher.reaches(waiting: 100)
                gate.open()
                await lastRuns.signalled()
                // 99 bodies have run and the last one still runs: nothing is visible, and no result is delivered.
                #expect(answered.all.isEmpty)
                #expect(try observer.count() == 0)
                lastMayEnd.signal()
                try await group.waitForAll()
            }
            #expect(try observer.count() == 100)
        }
    }

    @Test("a batch has a greatest size")
    func greatestSize() async throws {
        try await withBatcher(limits: .init(batch: 10, waiting: 100)) { batcher, observer in
            let gate = try await Gate(batcher)
            let committed = Notes()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...25 {
                    group.addTask {
                        try await batcher.submit { transaction in
                            // Another connection sees the commits of earlier batches.
                            committed.add(try observer.count())
                            try transaction.execute("INSERT INTO things (id) VALUES (\(number))")
                        }
                    }
                }
                await batcher.reaches(waiting: 25)
                gate.open()
                try await group.waitForAll()
            }
            let expected = (0..<25).map { $0 / 10 * 10 }
            #expect(committed.all == expected)
        }
    }

    @Test("more than may wait are refused as busy, the others served")
    func bounded() async throws {
        try await withBatcher(limits: .init(batch: 10, waiting: 20)) { batcher, observer in
            let gate = try await Gate(batcher)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...20 { group.addTask { try await batcher.insert(number) } }
                await batcher.reaches(waiting: 20)
                await #expect(throws: StorageError.busy) { try await batcher.insert(21) }
                gate.open()
                try await group.waitForAll()
            }
            #expect(try observer.count() == 20)
        }
    }

    @Test("a full disk fails the whole batch and acknowledges nothing")
    func fullDisk() async throws {
        try await withBatcher { batcher, observer in
            let pages = try await batcher.submit { try $0.queryOne("PRAGMA page_count")?.integer("page_count") ?? 0 }
            _ = try await batcher.submit { try $0.query("PRAGMA max_page_count = \(raw: "\(pages + 2)")") }
            let gate = try await Gate(batcher)
            let errors = await withTaskGroup(of: StorageError?.self) { group in
                for number in 1...9 {
                    group.addTask { await batcher.error(of: number) }
                    await batcher.reaches(waiting: number)
                }
                group.addTask { await batcher.error(of: 10, bytes: 1_000_000) }
                await batcher.reaches(waiting: 10)
                for number in 11...19 { group.addTask { await batcher.error(of: number) } }
                await batcher.reaches(waiting: 19)
                gate.open()
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(errors == Array(repeating: .full, count: 19))
            #expect(try observer.count() == 0)
            // The connection can be used afterwards.
            try await batcher.insert(1)
            #expect(await batcher.error(of: 2, bytes: 1_000_000) == .full)
            try await batcher.insert(2)
            #expect(try observer.count() == 2)
        }
    }

    @Test("a commit that fails fails the whole batch, refusals too")
    func failingCommit() async throws {
        try await withBatcher { batcher, observer in
            _ = try await batcher.submit { transaction in
                try transaction.execute("CREATE TABLE late (id BIGINT REFERENCES things (id) DEFERRABLE INITIALLY DEFERRED)")
            }
            let gate = try await Gate(batcher)
            let errors = await withTaskGroup(of: StorageError?.self) { group in
                group.addTask { await batcher.error(of: 1) }
                await batcher.reaches(waiting: 1)
                // This write is refused because of a row that will be rolled back.
                group.addTask { await batcher.error(of: 1) }
                group.addTask {
                    do {
                        _ = try await batcher.submit { try $0.execute("INSERT INTO late (id) VALUES (77)") }
                        return nil
                    } catch {
                        return error as? StorageError
                    }
                }
                await batcher.reaches(waiting: 3)
                gate.open()
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(errors == [.foreignKeyViolation, .foreignKeyViolation, .foreignKeyViolation])
            #expect(try observer.count() == 0)
            try await batcher.insert(1)
            #expect(try observer.count() == 1)
        }
    }

    @Test("closing serves those that wait and refuses the rest")
    func closing() async throws {
        try await withBatcher(limits: .init(batch: 5, waiting: 100)) { batcher, observer in
            let gate = try await Gate(batcher)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...20 { group.addTask { try await batcher.insert(number) } }
                await batcher.reaches(waiting: 20)
                let closing = Task { await batcher.close() }
                gate.open()
                try await group.waitForAll()
                await closing.value
            }
            #expect(try observer.count() == 20)
            #expect(await batcher.error(of: 21) == .closed)
            await batcher.close()
        }
    }

    private func withBatcher(
        limits: WriteBatcher.Limits = .init(),
        _ body: (WriteBatcher, DatabaseQueue) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            var configuration = Configuration()
            configuration.journalMode = .wal
            let writer = try DatabaseQueue(path: directory.path + "/a.sqlite", configuration: configuration)
            let observer = try DatabaseQueue(path: directory.path + "/a.sqlite")
            let batcher = WriteBatcher(writer: writer, limits: limits, logger: quiet)
            _ = try await batcher.submit { try $0.execute("CREATE TABLE things (id BIGINT PRIMARY KEY, data BYTEA)") }
            try await body(batcher, observer)
            await batcher.close()
            try writer.close()
            try observer.close()
        }
    }
}

/// The notes of several writes, in order.
private final class Notes: Sendable {
    private let notes = Mutex<[Int]>([])

    var all: [Int] { notes.withLock { $0 } }

    func add(_ note: Int) { notes.withLock { $0.append(note) } }
}

/// A write that keeps the writer busy, so that others queue behind it.
private struct Gate {
    private let semaphore = DispatchSemaphore(value: 0)

    init(_ batcher: WriteBatcher) async throws {
        let isRunning = DispatchSemaphore(value: 0)
        Task { [semaphore] in
            try await batcher.submit { _ in
                isRunning.signal()
                semaphore.wait()
            }
        }
        await isRunning.signalled()
    }

    func open() { semaphore.signal() }
}

extension WriteBatcher {
    fileprivate func insert(_ id: Int, bytes: Int = 0) async throws {
        let data = [UInt8](repeating: 1, count: bytes)
        _ = try await submit { try $0.execute("INSERT INTO things (id, data) VALUES (\(id), \(data))") }
    }

    fileprivate func error(of id: Int, bytes: Int = 0) async -> StorageError? {
        do {
            try await insert(id, bytes: bytes)
            return nil
        } catch {
            return error as? StorageError
        }
    }

    fileprivate func reaches(waiting count: Int) async {
        while load.waiting < count, !Task.isCancelled { await Task.yield() }
    }
}

extension DatabaseQueue {
    fileprivate func count() throws -> Int {
        try inDatabase { try Int.fetchOne($0, sql: "SELECT count(*) FROM things") ?? -1 }
    }
}
