import Dispatch
import Foundation
import Logging
import Storage

/// A directory of a test's own, removed after it.
func withTemporaryDirectory(_ body: (URL) async throws -> Void) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(component: "postern-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try await body(directory)
}

/// A logger that says nothing.
let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

extension SQLiteDatabase {
    /// The first column's text or integer, as text, of a pragma read in a write transaction: that is, on the writer.
    func pragma(_ name: String) async throws -> String {
        let row = try await write { try $0.queryOne("SELECT CAST(\(raw: name) AS TEXT) AS value FROM pragma_\(raw: name)") }
        return try row?.text("value") ?? ""
    }
}

extension DispatchSemaphore {
    /// Waits without blocking the cooperative threads, which global queues share, and no longer than until the task is cancelled.
    func signalled(times: Int = 1) async {
        for _ in 0..<times {
            while !take(), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(2)) }
        }
    }

    private func take() -> Bool { wait(timeout: .now()) == .success }
}
