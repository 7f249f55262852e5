import CSpawn
import Foundation
import Project

/// Another program, started with `posix_spawn`. It is killed together with its owner at the latest.
///
/// Foundation's `Process` does not suit tests with many open descriptors. On Linux it crashes beyond some 1,350 of them. Its
/// children inherit all descriptors that are not closed on exec, such as NIO's sockets. They use up a child's limit, and they
/// still listen when a test no longer does.
final class ChildProcess: Sendable {
    /// The kind of one descriptor of the program.
    enum Stream {
        case null
        /// A descriptor of this process.
        case inherited(Int32)
        /// A file, which is created when it is missing and appended to.
        case file(String)
        /// A pipe that the program reads from.
        case input(Pipe)
        /// A pipe that the program writes to.
        case output(Pipe)
    }

    /// The program could not be started.
    struct StartFailed: Error, CustomStringConvertible {
        let program: String
        let code: Int32
        var description: String { "\(program): \(String(cString: strerror(code)))" }
    }

    /// Its process id.
    let identifier: pid_t
    private let leadsGroup: Bool
    /// The status of `waitpid`, once the process has ended.
    private let outcome = LockedState<Int32?>(nil)

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: Its full path.
    ///   - arguments: Its arguments, without its own name.
    ///   - environment: Its whole environment.
    ///   - directory: Its working directory.
    ///   - streams: Its descriptors, from 0 on. It gets no others.
    ///   - leadsGroup: Whether it gets its own process group, which ends with it.
    /// - Throws: ``StartFailed``.
    init(
        _ program: String,
        _ arguments: [String],
        environment: [String: String] = ProcessInfo.processInfo.environment,
        directory: String = "/",
        streams: [Stream],
        leadsGroup: Bool = false
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var copies: [Int32] = []
        defer { for copy in copies { close(copy) } }
        for (number, stream) in zip(Int32(0)..., streams) {
            switch stream {
            case .null: posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
            case .file(let path):
                posix_spawn_file_actions_addopen(&actions, number, path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
            case .inherited, .input, .output:
                // The copy must not have one of the numbers that the program's descriptors get.
                let copy = fcntl(stream.descriptor, F_DUPFD_CLOEXEC, 64)
                guard copy >= 0 else { throw StartFailed(program: program, code: errno) }
                copies.append(copy)
                posix_spawn_file_actions_adddup2(&actions, copy, number)
            }
        }
        posix_spawn_file_actions_addclosefrom_np(&actions, Int32(streams.count))
        posix_spawn_file_actions_addchdir_np(&actions, directory)
        var attributes = Self.attributes(leadsGroup: leadsGroup)
        defer { posix_spawnattr_destroy(&attributes) }
        let argv = ([program] + arguments).map { strdup($0) }
        let envp = environment.map { strdup("\($0.key)=\($0.value)") }
        defer { for text in argv + envp { free(text) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, program, &actions, &attributes, argv + [nil], envp + [nil])
        guard code == 0 else { throw StartFailed(program: program, code: code) }
        self.identifier = identifier
        self.leadsGroup = leadsGroup
        // Only the program keeps its ends of the pipes, so that each side notices when the other is gone.
        for stream in streams { stream.release() }
    }

    deinit { end() }

    /// No signal is blocked or ignored, independently of the starting thread.
    private static func attributes(leadsGroup: Bool) -> posix_spawnattr_t {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let group = leadsGroup ? POSIX_SPAWN_SETPGROUP : 0
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group))
        return attributes
    }

    var isRunning: Bool { outcome.withLock { isRunning(&$0) } }

    /// Sends it a signal, unless it has ended.
    func signal(_ signal: Int32) { outcome.withLock { if isRunning(&$0) { kill(identifier, signal) } } }

    /// Kills it, with its process group if it leads one.
    func end() {
        outcome.withLock { outcome in
            guard isRunning(&outcome) else { return }
            kill(leadsGroup ? -identifier : identifier, SIGKILL)
            waitpid(identifier, nil, 0)
            outcome = SIGKILL
        }
    }

    /// Waits for it to end.
    ///
    /// - Returns: Its exit code, or the number of the signal that ended it; -1 if the waiting task was cancelled.
    func waitForExit() async -> Int32 {
        while isRunning, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(10)) }
        return outcome.withLock { $0 ?? -1 }
    }

    private func isRunning(_ outcome: inout Int32?) -> Bool {
        if outcome != nil { return false }
        var status: Int32 = 0
        guard waitpid(identifier, &status, WNOHANG) == identifier else { return true }
        // The format of wait(2): the signal is in the low seven bits, the exit code above them.
        outcome = status & 0x7f == 0 ? status >> 8 & 0xff : status & 0x7f
        return false
    }
}

extension ChildProcess.Stream {
    /// The descriptor in this process; -1 when there is none.
    fileprivate var descriptor: Int32 {
        switch self {
        case .null, .file: -1
        case .inherited(let descriptor): descriptor
        case .input(let pipe): pipe.fileHandleForReading.fileDescriptor
        case .output(let pipe): pipe.fileHandleForWriting.fileDescriptor
        }
    }

    /// Closes this process's copy of the program's end.
    fileprivate func release() {
        switch self {
        case .null, .file, .inherited: break
        case .input(let pipe): try? pipe.fileHandleForReading.close()
        case .output(let pipe): try? pipe.fileHandleForWriting.close()
        }
    }
}
