import CSpawn
package import Foundation

/// The built `postern` in its own process, for tests of signals, crashes and exit codes.
package final class ServerProcess: Sendable {
    private let process: ChildProcess
    private let output: String

    /// The process did not start to listen.
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

    /// A binary of the build.
    package static func path(of executable: String) -> String { buildDirectory.appending(path: executable).path }

    /// Starts a binary of the build, or one with a full path. Its environment is only the given one.
    package init(
        _ arguments: [String],
        executable: String = "postern",
        environment: [String: String] = [:],
        directory: String
    ) throws {
        let path = executable.hasPrefix("/") ? executable : Self.path(of: executable)
        // A file and not a pipe: the whole output is there when the process has ended.
        output = FileManager.default.temporaryDirectory.appending(path: "postern-output-\(UUID().uuidString)").path
        process = try ChildProcess(
            path,
            arguments,
            environment: environment,
            directory: directory,
            streams: [.null, .file(output), .file(output)]
        )
    }

    deinit {
        process.end()
        try? FileManager.default.removeItem(atPath: output)
    }

    /// Resident memory in bytes, as the kernel counts it; 0 once the process is gone.
    package var residentBytes: Int { bytes(/VmRSS:\s+([0-9]+) kB/) }

    /// The most resident memory that the process has had so far, in bytes; 0 once the process is gone.
    package var peakResidentBytes: Int { bytes(/VmHWM:\s+([0-9]+) kB/) }

    private func bytes(_ line: Regex<(Substring, Substring)>) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(process.identifier)/status", encoding: .utf8)) ?? ""
        return status.firstMatch(of: line).flatMap { Int($0.1) }.map { $0 * 1024 } ?? 0
    }

    /// Processor time that the process has used, as the kernel counts it; none once the process is gone.
    package var processorTime: Duration {
        .nanoseconds(max(postern_processor_nanoseconds(process.identifier), 0))
    }

    /// The part of ``processorTime`` that the kernel spent for the process. Its steps are a hundredth of a second.
    package var kernelTime: Duration {
        let stat = (try? String(contentsOfFile: "/proc/\(process.identifier)/stat", encoding: .utf8)) ?? ""
        // The name of the program comes second, in parentheses, and may contain spaces. `stime` is the field 15 (proc(5)).
        let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
        let ticks = fields.count > 12 ? Int(fields[12]) ?? 0 : 0
        return .milliseconds(ticks * 1000 / max(sysconf(Int32(_SC_CLK_TCK)), 1))
    }

    /// What the process has printed so far.
    package var printed: String { (try? String(contentsOfFile: output, encoding: .utf8)) ?? "" }

    /// Waits until the server prints its address and answers there, as long as it runs.
    ///
    /// - Returns: Its base URL.
    package func waitUntilReady() async throws -> String {
        while process.isRunning {
            if let url = printed.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+/).map({ String($0.0) }),
                let answer = try? await TestClient(url).get("/readyz"), answer.status == 200
            {
                return url
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw StartFailed(description: "postern did not start: \(printed)")
    }

    /// Waits until the output matches a pattern, as long as the process runs.
    ///
    /// - Returns: The first group of the match.
    package func waitUntilPrinted(_ pattern: Regex<(Substring, Substring)>) async throws -> String {
        while true {
            let isRunning = process.isRunning
            if let match = printed.firstMatch(of: pattern) { return String(match.1) }
            guard isRunning else { throw StartFailed(description: "not printed: \(printed)") }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Kills the process, as a crash would.
    package func kill() async -> Int32 {
        process.signal(SIGKILL)
        return await waitForExit()
    }

    /// Asks the process to stop.
    package func terminate() async -> Int32 {
        process.signal(SIGTERM)
        return await waitForExit()
    }

    /// Sends the process SIGHUP, which ends no server.
    package func hangUp() { process.signal(SIGHUP) }

    /// Waits for the process to end.
    ///
    /// - Returns: Its exit code as ``waitForExit()`` has it, and all that it printed.
    package func waitForOutput() async -> (code: Int32, text: String) { (await waitForExit(), printed) }

    /// Waits for the process to end.
    ///
    /// - Returns: Its exit code, or the number of the signal that ended it; -1 if the waiting task was cancelled.
    package func waitForExit() async -> Int32 { await process.waitForExit() }
}
