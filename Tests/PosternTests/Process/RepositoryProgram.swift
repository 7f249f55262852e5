import Foundation
import TestKit

/// A program of the repository that tests run as its users do.
enum RepositoryProgram {
    /// Runs a program in the repository's folder, with the variables that every shell has.
    ///
    /// - Parameters:
    ///   - path: Its path in the repository, or a full one.
    ///   - arguments: Its arguments.
    /// - Returns: Its exit code and all that it printed.
    static func run(_ path: String, _ arguments: [String]) async throws -> (code: Int32, text: String) {
        let program = path.hasPrefix("/") ? path : packageDirectory.appending(path: path).path
        var variables = ProcessInfo.processInfo.environment.filter { ["PATH", "HOME", "LANG"].contains($0.key) }
        // Programs in Python leave nothing in the repository.
        variables["PYTHONDONTWRITEBYTECODE"] = "1"
        return try await ServerProcess(
            arguments,
            executable: program,
            environment: variables,
            directory: packageDirectory.path
        ).waitForOutput()
    }
}
