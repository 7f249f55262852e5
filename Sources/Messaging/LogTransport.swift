package import Logging

/// Development: a message is one record in the log, with its text and so with its link, and goes nowhere.
package struct LogTransport: EmailTransport {
    private let logger: Logger

    /// - Parameter logger: Where messages go. Its handler escapes line ends.
    package init(logger: Logger) { self.logger = logger }

    package func send(_ message: EmailMessage, stamp: EmailStamp) async throws {
        do { try message.validate() } catch { throw DeliveryError.permanent("\(error)") }
        logger.notice(
            "e-mail, not sent in development",
            metadata: ["to": "\(message.to.address)", "subject": "\(message.subject)", "text": "\(message.text)"]
        )
    }
}
