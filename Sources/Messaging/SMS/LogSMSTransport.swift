package import Logging
package import Project

/// Writes each message, with its text and its code, to the log and sends nothing.
package struct LogSMSTransport: SMSTransport {
    private let logger: Logger

    /// - Parameter logger: Its handler escapes line ends.
    package init(logger: Logger) { self.logger = logger }

    package func send(_ message: SMSMessage, scope: Scope) async throws {
        logger.notice("SMS, not sent", metadata: ["to": "\(message.to)", "text": "\(message.text)"])
    }
}
