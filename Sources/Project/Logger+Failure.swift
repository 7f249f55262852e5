package import Logging

extension Logger {
    /// Logs that work failed. Work that was cancelled has not: its process is shutting down, or its client is gone.
    ///
    /// - Parameters:
    ///   - message: What did not happen.
    ///   - error: The reason.
    ///   - level: The level.
    ///   - metadata: More about the work.
    package func failure(
        _ message: Logger.Message,
        _ error: any Error,
        level: Logger.Level = .error,
        metadata: Logger.Metadata = [:]
    ) {
        if error is CancellationError { return }
        log(level: level, message, metadata: metadata.merging(["error": "\(error)"]) { $1 })
    }
}
