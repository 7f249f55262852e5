import Dispatch
import Foundation
import Logging
import Storage

/// A directory for one test, removed after it.
func withTemporaryDirectory(_ body: (URL) async throws -> Void) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(component: "postern-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try await body(directory)
}

/// A logger without output.
let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

extension SQLiteDatabase {
    /// The value of a pragma as text, read in a write transaction and so on the writer.
    func pragma(_ name: String) async throws -> String {
        let row = try await write { try $0.queryOne("SELECT CAST(\(raw: name) AS TEXT) AS value FROM pragma_\(raw: name)") }
        return try row?.text("value") ?? ""
    }
}

extension DispatchSemaphore {
    /// Waits without blocking the cooperative threads, which global queues share. Cancelling the task ends the wait.
    func signalled(times: Int = 1) async {
        for _ in 0..<times {
            while !take(), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(2)) }
        }
    }

    private func take() -> Bool { wait(timeout: .now()) == .success }
}
