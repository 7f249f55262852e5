package import Foundation
import Synchronization

/// The built `postern` as a process of its own, for what only a process can show: signals, crashes, exit codes.
package final class ServerProcess: Sendable {
    private let process: Process
    private let output = Mutex((text: "", hasEnded: false))
    /// Foundation's own start of a process is not safe beside another one.
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
        let pipe = Pipe.uninherited()
        process.standardOutput = pipe
        process.standardError = pipe
        let reading = pipe.fileHandleForReading
        // A thread rather than a readability handler, whose dispatch source may outlive the file descriptor that it watches.
        let reader = Thread { [weak self] in
            while true {
                let data = reading.availableData
                self?.output.withLock { output in
                    output.text += String(decoding: data, as: UTF8.self)
                    output.hasEnded = data.isEmpty
                }
                if data.isEmpty { return }
            }
        }
        try Self.starting.withLock { _ in try process.run() }
        reader.start()
    }

    deinit { if process.isRunning { process.terminate() } }

    /// Resident memory in bytes, as the kernel counts it; 0 once the process is gone.
    package var residentBytes: Int {
        let status = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
        return status.firstMatch(of: /VmRSS:\s+([0-9]+) kB/).flatMap { Int($0.1) }.map { $0 * 1024 } ?? 0
    }

    /// What the process has printed so far.
    package var printed: String { output.withLock { $0.text } }

    /// Waits for the process to end, and for the last of what it wrote.
    ///
    /// - Returns: Its exit code as ``waitForExit()`` has it, and everything it printed.
    package func waitForOutput() async -> (code: Int32, text: String) {
        let code = await waitForExit()
        // Bounded, for a process of its own might hold the pipe open.
        for _ in 0..<200 where !output.withLock({ $0.hasEnded }) { try? await Task.sleep(for: .milliseconds(10)) }
        return (code, printed)
    }

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

extension Pipe {
    /// A pipe that processes started meanwhile do not get: they would keep it from ever ending.
    static func uninherited() -> Pipe {
        let pipe = Pipe()
        for handle in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
            _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        return pipe
    }
}
