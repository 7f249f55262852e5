import Accounts
import Foundation
import Project
import TestKit
import Testing

@testable import UserFiles

@Suite("Users are read on a thread of its own", .timeLimit(.minutes(5)))
struct UserReaderTests {
    private func reader<T>(_ text: String, _ body: (UserReader) async throws -> T) async throws -> T {
        try await withTemporaryDirectory { directory in
            try Data(text.utf8).write(to: URL(fileURLWithPath: directory + "/f"))
            return try await body(UserReader(try UserFile(firebaseJSON: directory + "/f")))
        }
    }

    @Test("in parts, all in order, with the fault at the end")
    func parts() async throws {
        let users = (0..<1000).map { "{\"localId\":\"u\($0)\"}" }.joined(separator: ",")
        try await reader("{\"users\":[\(users),1,[") { reader in
            var ids: [String] = []
            var bad = 0
            var part: UserReader.Part
            repeat {
                part = try await reader.next()
                #expect(part.rows.count <= 256)
                for row in part.rows {
                    if let user = try? row.user.get() { ids.append(user.account.localID) } else { bad += 1 }
                }
            } while !part.isLast
            #expect(ids == (0..<1000).map { "u\($0)" } && bad == 1)
            #expect(part.fault is MalformedFile)
        }
    }

    @Test("and no further once the task is cancelled")
    func cancelled() async throws {
        try await reader("{\"users\":[]}") { reader in
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                _ = try await reader.next()
            }
            task.cancel()
            await #expect(throws: CancellationError.self) { () async throws in try await task.value }
        }
    }

    @Test("a file without a name is read again from its beginning, and is nowhere in its directory")
    func unnamed() async throws {
        try await withTemporaryDirectory { directory in
            let handle = try PrivateFile.unnamed(in: URL(filePath: directory))
            try handle.write(contentsOf: Data("{\"users\":[{\"localId\":\"a\"}]}".utf8))
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
            let file = try UserFile(handle, format: .json, now: Timestamp(seconds: 1))
            for file in [file, try file.reopened()] {
                let part = try await UserReader(file).next()
                #expect(part.rows.count == 1 && part.share == 1)
            }
        }
    }
}
