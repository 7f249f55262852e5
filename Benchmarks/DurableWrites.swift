import Foundation
import Logging
import Project
import Storage
import Synchronization

/// Compares group commit with one flush per write on the same disk, and with the same store where a flush costs nothing.
struct DurableWrites: Sendable {
    let directory: String
    let seconds: Int

    /// No file could be written to the disk.
    struct Failed: Error {}

    // A small transaction appends this much to the write-ahead log: one page with its header.
    private static let pageBytes = 4096 + 24
    // A file system in memory.
    private static let memory = "/dev/shm"

    func measure() async throws -> [Report.Line] {
        let flushed = try await flushed()
        var lines = [Report.Line(name: "writes, one flush each, bare", value: String(Int(flushed)), unit: "/s")]
        for writers in [1, 8, 64] {
            let rate = try await committed(writers: writers, in: directory)
            var line = Report.Line(name: "writes, \(writers) at once", value: String(Int(rate)), unit: "/s")
            let gain = rate / flushed
            line.note = String(format: "× %.1f of one flush each", gain)
            if writers == 64 {
                let free = try await inMemory { try await committed(writers: writers, in: $0) }
                // Where a store that never waits for the disk is hardly faster, the flush is no longer the limit.
                line.target = Report.Target(text: "≥ 10 × or no limit", isMet: gain >= 10 || rate >= 0.8 * free)
                line.note += String(format: "; %.0f %% of the rate without a disk, %d/s", rate / free * 100, Int(free))
            }
            lines.append(line)
        }
        return lines
    }

    private func inMemory<T: Sendable>(_ body: (String) async throws -> T) async throws -> T {
        let path = "\(Self.memory)/postern-bench-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await body(path)
    }

    private func flushed() async throws -> Double {
        let path = "\(directory)/flushed"
        let end = ContinuousClock.now + .seconds(seconds)
        let count = try await Task.detached {
            let file = open(path, O_CREAT | O_WRONLY | O_APPEND, 0o600)
            guard file >= 0 else { throw Failed() }
            defer { close(file) }
            let page = [UInt8](repeating: 7, count: Self.pageBytes)
            var count = 0
            while ContinuousClock.now < end {
                guard write(file, page, page.count) == page.count, fsync(file) == 0 else { throw Failed() }
                count += 1
            }
            return count
        }.value
        return Double(count) / Double(seconds)
    }

    private func committed(writers: Int, in directory: String) async throws -> Double {
        let database = try SQLiteDatabase(
            .file("\(directory)/writes-\(writers).sqlite"),
            readers: 1,
            logger: Logger(label: "bench")
        )
        _ = try await Migrator.sqlite.migrate(database, now: 0)
        let created = Timestamp(milliseconds: 0)
        let numbers = 0..<1000
        try await database.write { transaction in
            for number in numbers {
                try transaction.insertAccount(Subject.project, AccountRecord(localID: "user-\(number)", createdAt: created))
            }
        }
        let end = ContinuousClock.now + .seconds(seconds)
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for writer in 0..<writers {
                group.addTask {
                    var count = 0
                    while ContinuousClock.now < end {
                        let localID = "user-\((writer + count * writers) % numbers.count)"
                        let time = Timestamp(milliseconds: Int64(count))
                        try await database.write { try $0.touchLogin(Subject.project, localID: localID, at: time) }
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        try await database.close()
        return Double(count) / Double(seconds)
    }
}
