package import Logging
package import Project

/// A message is one record in the log, with its text and so with its code, and goes nowhere.
package struct LogSMSTransport: SMSTransport {
    private let logger: Logger

    /// - Parameter logger: Where messages go. Its handler escapes line ends.
    package init(logger: Logger) { self.logger = logger }

    package func send(_ message: SMSMessage, scope: Scope) async throws {
        logger.notice("SMS, not sent", metadata: ["to": "\(message.to)", "text": "\(message.text)"])
    }
}
