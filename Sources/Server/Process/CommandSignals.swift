import Dispatch
import Foundation

/// What ends a command early.
package enum CommandSignals {
    /// Runs work that SIGINT and SIGTERM cancel, so that it takes back what it began.
    package static func cancelling<T: Sendable>(_ work: @escaping @Sendable () async throws -> T) async throws -> T {
        let task = Task { try await work() }
        let sources = [SIGINT, SIGTERM].map { number in
            // Else the process would end before the source sees the signal.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { task.cancel() }
            source.resume()
            return source
        }
        defer {
            for source in sources { source.cancel() }
            for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
        }
        return try await task.value
    }
}
