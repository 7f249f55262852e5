import Foundation
import Logging
import Project
import Storage
import Synchronization

/// Compares group commit with one flush per write on the same disk.
struct DurableWrites: Sendable {
    let directory: String
    let seconds: Int
    let writers: [Int]

    /// Writes per second.
    struct Figures: Sendable {
        let flushed: Double
        let committed: [(writers: Int, rate: Double)]
    }

    /// No file could be written to the disk.
    struct Failed: Error {}

    func measure() async throws -> Figures {
        let flushed = try await flushed()
        var committed: [(Int, Double)] = []
        for count in writers { committed.append((count, try await self.committed(writers: count))) }
        return Figures(flushed: flushed, committed: committed)
    }

    // A small transaction appends this much to the write-ahead log: one page with its header.
    private static let pageBytes = 4096 + 24

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

    private func committed(writers: Int) async throws -> Double {
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

extension DurableWrites.Figures {
    /// Prints the figures and whether the target is met.
    func report() {
        Report.heading("Durable writes")
        Report.figure("one flush per write, bare", Report.rate(flushed))
        for (writers, rate) in committed {
            let gain = rate / flushed
            let bound = writers == 64 ? ", \(Report.bound(gain >= 10, "≥ 10"))" : ""
            Report.figure("store, \(writers) writers", Report.rate(rate), "× \((gain * 10).rounded() / 10)\(bound)")
        }
    }
}
