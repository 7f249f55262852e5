package import Foundation
import Project

/// The built `postern` as a process of its own, for what only a process can show: signals, crashes, exit codes.
///
/// Started with `posix_spawn`: Foundation's own `Process` crashes now and then when several are started at once.
package final class ServerProcess: Sendable {
    private let identifier: pid_t
    private let output: String
    /// What `waitpid` said, once the process has ended.
    private let outcome = LockedState<Int32?>(nil)

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

    /// A binary of the build.
    package static func path(of executable: String) -> String { buildDirectory.appending(path: executable).path }

    /// Starts a binary of the build, or one that is named by its whole path. Its environment is only what is given here.
    package init(
        _ arguments: [String],
        executable: String = "postern",
        environment: [String: String] = [:],
        directory: String
    ) throws {
        let path = executable.hasPrefix("/") ? executable : Self.path(of: executable)
        // A file rather than a pipe: whatever was printed is there as soon as the process has ended.
        output = FileManager.default.temporaryDirectory.appending(path: "postern-output-\(UUID().uuidString)").path
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        // The shell changes the directory and becomes the process.
        let argv = (["sh", "-c", "cd \"$0\" && exec \"$@\"", directory, path] + arguments).map { strdup($0) }
        let envp = environment.map { strdup("\($0.key)=\($0.value)") }
        defer { for text in argv + envp { free(text) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, "/bin/sh", &actions, nil, argv + [nil], envp + [nil])
        guard code == 0 else { throw StartFailed(description: "\(path): \(String(cString: strerror(code)))") }
        self.identifier = identifier
    }

    deinit {
        if isRunning {
            Foundation.kill(identifier, SIGKILL)
            waitpid(identifier, nil, 0)
        }
        try? FileManager.default.removeItem(atPath: output)
    }

    private var isRunning: Bool {
        outcome.withLock { outcome in
            if outcome != nil { return false }
            var status: Int32 = 0
            guard waitpid(identifier, &status, WNOHANG) == identifier else { return true }
            // As wait(2) packs it: the signal in the low seven bits, the exit code above them.
            outcome = status & 0x7f == 0 ? status >> 8 & 0xff : status & 0x7f
            return false
        }
    }

    /// Resident memory in bytes, as the kernel counts it; 0 once the process is gone.
    package var residentBytes: Int {
        let status = (try? String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8)) ?? ""
        return status.firstMatch(of: /VmRSS:\s+([0-9]+) kB/).flatMap { Int($0.1) }.map { $0 * 1024 } ?? 0
    }

    /// What the process has printed so far.
    package var printed: String { (try? String(contentsOfFile: output, encoding: .utf8)) ?? "" }

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
            guard isRunning else { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw StartFailed(description: "postern did not start: \(printed)")
    }

    /// Ends the process at once, as a crash would.
    package func kill() async -> Int32 {
        Foundation.kill(identifier, SIGKILL)
        return await waitForExit()
    }

    /// Asks the process to stop.
    package func terminate() async -> Int32 {
        Foundation.kill(identifier, SIGTERM)
        return await waitForExit()
    }

    /// Waits for the process to end.
    ///
    /// - Returns: Its exit code as ``waitForExit()`` has it, and all that it printed.
    package func waitForOutput() async -> (code: Int32, text: String) { (await waitForExit(), printed) }

    /// Waits for the process to end.
    ///
    /// - Returns: Its exit code, or the number of the signal that ended it.
    package func waitForExit() async -> Int32 {
        while isRunning { try? await Task.sleep(for: .milliseconds(10)) }
        return outcome.withLock { $0 ?? 0 }
    }
}
