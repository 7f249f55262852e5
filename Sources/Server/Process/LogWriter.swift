import Foundation
import Project
import Synchronization

/// Writes the lines of the log to standard error on a thread of its own, in order. No request waits for the log's reader, and a log that
/// cannot be written ends nothing (OPS-02).
///
/// A reader that does not read makes lines wait, up to a bound. Beyond it they are lost, and a line says how many as soon as it can.
final class LogWriter: Sendable {
    /// The writer of this process.
    static let shared = LogWriter(.error, maximumBytes: 1 << 20)

    private struct State {
        var lines: [String] = []
        var bytes = 0
        var lost = 0
        // Lines that are taken from the list and not yet written.
        var isWriting = false
    }

    private let stream: StandardStream
    private let maximumBytes: Int
    private let condition = NSCondition()
    private let state = Mutex(State())

    // How long the end of the process waits for the reader.
    private static let patience = 1.0

    init(_ stream: StandardStream, maximumBytes: Int) {
        self.stream = stream
        self.maximumBytes = maximumBytes
        // A reader that has gone is an error of the write, and not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        let thread = Thread { [self] in run() }
        thread.name = "log"
        thread.start()
        if stream == .error { atexit { LogWriter.shared.flush() } }
    }

    /// Hands a line to the thread.
    ///
    /// - Parameter line: The line, without its end.
    func write(_ line: String, loss: (Int) -> String) {
        let size = line.utf8.count + 1
        let isTaken = state.withLock { state in
            guard state.bytes + size <= maximumBytes else {
                state.lost += 1
                return false
            }
            if state.lost > 0 {
                state.lines.append(loss(state.lost))
                state.lost = 0
            }
            state.lines.append(line)
            state.bytes += size
            return true
        }
        guard isTaken else { return }
        condition.lock()
        condition.broadcast()
        condition.unlock()
    }

    /// Waits until all lines are written, for a second at most.
    func flush() {
        let end = Date(timeIntervalSinceNow: Self.patience)
        condition.lock()
        defer { condition.unlock() }
        while state.withLock({ $0.isWriting || !$0.lines.isEmpty }), condition.wait(until: end) {}
    }

    private func run() {
        while true {
            condition.lock()
            while state.withLock({ $0.lines.isEmpty }) { condition.wait() }
            condition.unlock()
            let lines = state.withLock { state in
                defer { (state.lines, state.isWriting) = ([], true) }
                return state.lines
            }
            for line in lines {
                stream.write(line + "\n")
                // What is being written counts until then, so that the bound holds for a reader that stalls.
                state.withLock { $0.bytes = max(0, $0.bytes - line.utf8.count - 1) }
            }
            state.withLock { $0.isWriting = false }
            condition.lock()
            condition.broadcast()
            condition.unlock()
        }
    }
}
