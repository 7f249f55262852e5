import Project

/// Reads the users of a file on a thread of its own: on the threads of Swift's tasks a large file would delay all requests.
///
/// It reads a part at a time, so that an import that is cancelled ends soon.
final class UserReader: Sendable {
    struct Row: Sendable {
        let line: Int
        /// The user, or why the record is none.
        let user: Swift.Result<MovedUser, any Error>
    }

    /// Some records in a row.
    struct Part: Sendable {
        fileprivate(set) var rows: [Row] = []
        /// How much of the file was read; `nil` where its size is not known.
        fileprivate(set) var share: Double?
        /// Whether the file has no more of them.
        fileprivate(set) var isLast = false
        /// Why there are no more of them, other than the end of the file.
        fileprivate(set) var fault: (any Error)?
    }

    private typealias Work = @Sendable () -> @Sendable () -> Void

    private let format: any UserFileFormat
    private let size: UInt64
    private let records: LockedState<any FileRecords>
    private let threads: JobThreads<Work>

    private static let partRows = 256
    private static let partBytes: UInt64 = 1 << 18

    init(_ file: UserFile) {
        format = file.format
        size = file.size
        records = LockedState(file.records)
        let rules = JobRules(waiting: 1, full: CancellationError(), closed: CancellationError(), servesCancelled: false)
        threads = JobThreads(1, named: "import", rules: rules) { worker in
            worker.serve { work in
                let deliver = work()
                worker.finish()
                deliver()
            }
        }
    }

    func next() async throws -> Part {
        try Task.checkCancellation()
        return try await threads.submit { (continuation: CheckedContinuation<Part, any Error>) in
            { [self] in
                let part = read()
                return { continuation.resume(returning: part) }
            }
        }
    }

    private func read() -> Part {
        records.withLock { records in
            var part = Part()
            let end = records.offset + Self.partBytes
            do {
                while part.rows.count < Self.partRows, records.offset < end {
                    guard let record = try records.next() else {
                        part.isLast = true
                        break
                    }
                    part.rows.append(Row(line: record.line, user: Swift.Result { try format.user(record.content) }))
                }
            } catch {
                // The rows before the fault are still imported.
                (part.isLast, part.fault) = (true, error)
            }
            part.share = size == 0 ? nil : min(Double(records.offset) / Double(size), 1)
            return part
        }
    }
}
