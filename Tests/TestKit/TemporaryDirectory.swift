import Foundation

/// Runs a body with its own directory, which is removed afterwards.
package func withTemporaryDirectory<T>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (String) async throws -> T
) async throws -> T {
    let path = FileManager.default.temporaryDirectory.appending(path: "postern-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await body(path)
}

/// A directory that is removed with the test.
package func makeTemporaryDirectory() async throws -> String { try await Teardown.hold { try await withTemporaryDirectory($0) } }
