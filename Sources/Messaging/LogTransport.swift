package import Logging

/// For development: writes each message, with its text and its link, to the log and sends nothing.
package struct LogTransport: EmailTransport {
    private let logger: Logger

    /// - Parameter logger: Its handler escapes line ends.
    package init(logger: Logger) { self.logger = logger }

    package func send(_ message: EmailMessage, stamp: EmailStamp) async throws {
        do { try message.validate() } catch { throw DeliveryError.permanent("\(error)") }
        logger.notice(
            "e-mail, logged and not sent",
            metadata: ["to": "\(message.to.address)", "subject": "\(message.subject)", "text": "\(message.text)"]
        )
    }
}
