package import Foundation
import Synchronization

/// The built `postern` as a process of its own, for what only a process can show: signals, crashes, exit codes.
package final class ServerProcess: Sendable {
    private let process: Process
    private let output = Mutex("")
    /// Held while a process is started: Foundation's own start is not safe beside another one.
    static let starting = Mutex(())

    /// The process did not get as far as listening.
    package struct StartFailed: Error, CustomStringConvertible {
        package let description: String
    }

    /// The folder of the running test binary, where the other products of the build are.
    package static var buildDirectory: URL {
        var folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        for argument in CommandLine.arguments where argument.contains(".xctest") {
            folder = URL(fileURLWithPath: argument).deletingLastPathComponent()
        }
        while folder.path != "/", !FileManager.default.isExecutableFile(atPath: folder.appending(path: "postern").path) {
            folder.deleteLastPathComponent()
        }
        return folder
    }

    /// Starts a binary of the build. Its environment is only what is given here.
    package init(
        _ arguments: [String],
        executable: String = "postern",
        environment: [String: String] = [:],
        directory: String
    ) throws {
        process = Process()
        process.executableURL = Self.buildDirectory.appending(path: executable)
        process.arguments = arguments
        process.environment = environment
        process.currentDirectoryURL = URL(fileURLWithPath: directory)
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        pipe.fileHandleForReading.readabilityHandler = { [weak self] handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil }
            self?.output.withLock { $0 += String(decoding: data, as: UTF8.self) }
        }
        try Self.starting.withLock { _ in try process.run() }
    }

    deinit { if process.isRunning { process.terminate() } }

    /// Resident memory in bytes, as the kernel counts it; 0 once the process is gone.
    package var residentBytes: Int {
        let status = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
        return status.firstMatch(of: /VmRSS:\s+([0-9]+) kB/).flatMap { Int($0.1) }.map { $0 * 1024 } ?? 0
    }

    /// What the process has printed so far.
    package var printed: String { output.withLock { $0 } }

    /// Waits until the server says where it listens and answers there.
    ///
    /// - Returns: Its base URL.
    package func waitUntilReady() async throws -> String {
        for _ in 0..<600 {
            if let url = printed.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+/).map({ String($0.0) }),
                let answer = try? await TestClient(url).get("/readyz"), answer.status == 200
            {
                return url
            }
            guard process.isRunning else { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw StartFailed(description: "postern did not start: \(printed)")
    }

    /// Ends the process at once, as a crash would.
    package func kill() async -> Int32 {
        Foundation.kill(process.processIdentifier, SIGKILL)
        return await waitForExit()
    }

    /// Asks the process to stop.
    package func terminate() async -> Int32 {
        process.terminate()
        return await waitForExit()
    }

    /// Waits for the process to end.
    ///
    /// - Returns: Its exit code, or the number of the signal that ended it.
    package func waitForExit() async -> Int32 {
        while process.isRunning { try? await Task.sleep(for: .milliseconds(10)) }
        return process.terminationStatus
    }
}
