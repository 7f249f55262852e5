package import Logging
import Synchronization

/// Records the log, so that a test can check what it does not contain.
package final class LogCapture: Sendable {
    private let recorded = Mutex<[String]>([])

    package init() {}

    /// Every line so far, with its metadata.
    package var lines: [String] { recorded.withLock { $0 } }

    /// A logger that records every level.
    package func logger() -> Logger {
        var logger = Logger(label: "test") { _ in Handler(capture: self) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let capture: LogCapture
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let details = metadata.merging(event.metadata ?? [:]) { $1 }.map { "\($0.key)=\($0.value)" }.sorted()
            capture.recorded.withLock { $0.append("\(event.level) \(event.message) \(details.joined(separator: " "))") }
        }
    }
}
