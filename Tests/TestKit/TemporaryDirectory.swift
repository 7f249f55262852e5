import Foundation

/// Runs a body with its own directory, which is removed afterwards.
package func withTemporaryDirectory<T>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (String) async throws -> T
) async throws -> T {
    let path = try createTemporaryDirectory()
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await body(path)
}

/// A directory that is removed with the test.
package func makeTemporaryDirectory() async throws -> String {
    let path = try createTemporaryDirectory()
    try Teardown.add { try? FileManager.default.removeItem(atPath: path) }
    return path
}

private func createTemporaryDirectory() throws -> String {
    let path = FileManager.default.temporaryDirectory.appending(path: "postern-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
}
