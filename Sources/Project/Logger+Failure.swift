package import Logging

/// An error that may already be in the log when it is caught.
package protocol LoggedAtSource: Error {
    /// Whether the error was logged where it arose. Its catchers add no line.
    var isLoggedAtSource: Bool { get }
}

extension Logger {
    /// Logs that work failed. Work that was cancelled has not: its process is shutting down, or its client is gone.
    ///
    /// An error that was logged where it arose is logged at level `debug` only.
    package func failure(
        _ message: Logger.Message,
        _ error: any Error,
        level: Logger.Level = .error,
        metadata: Logger.Metadata = [:]
    ) {
        if error is CancellationError { return }
        let level = (error as? any LoggedAtSource)?.isLoggedAtSource == true ? .debug : level
        log(level: level, message, metadata: metadata.merging(["error": "\(error.plainText)"]) { $1 })
    }
}
