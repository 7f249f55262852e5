import Foundation

/// What starting other programs by Foundation's `Process` takes: it is not safe beside another start.
enum ProcessStart {
    private static let turn = NSLock()

    /// Starts a process, one at a time.
    static func run(_ process: Process) throws { try turn.withLock { try process.run() } }
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
