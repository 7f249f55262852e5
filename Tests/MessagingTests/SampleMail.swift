import Logging
import Messaging
import Project
import Storage
import TestKit

/// The message of most tests.
func sampleMessage(
    to recipient: String = "ada@example.org",
    subject: String = "Confirm your address",
    text: String = "Hello,\n\nfollow this link:\nhttps://app.example/__/auth/action?oobCode=abc\n",
    html: String? = "<p>Hello</p>"
) throws -> EmailMessage {
    EmailMessage(
        from: try Mailbox(address: "noreply@mail.example", name: "Example"),
        to: try Mailbox(address: recipient),
        subject: subject,
        text: text,
        html: html,
        language: "en"
    )
}

let sampleStamp = EmailStamp(id: "Stamp1234", time: Timestamp(seconds: 1_767_225_600))

struct CannotOpen: Error {}

extension PayloadSeal {
    /// Inverts every byte, which is enough to show that nothing is stored in clear text.
    static let inverting = PayloadSeal(
        seal: { hexadecimal($0.map { ~$0 }) },
        open: { text in
            let digits = Array(text.utf8)
            guard digits.count.isMultiple(of: 2) else { throw CannotOpen() }
            return stride(from: 0, to: digits.count, by: 2).map { index in
                ~(UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) ?? 0)
            }
        }
    )
}

/// A logger without output.
let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

extension SMTPServer {
    /// A transport to this server over plain loopback.
    func transport(credentials: SMTPServerConfiguration.Credentials? = nil) -> SMTPTransport {
        SMTPTransport(
            server: SMTPServerConfiguration(host: "127.0.0.1", port: port, security: .startTLS, credentials: credentials),
            timeouts: .init(connect: .seconds(600), total: .seconds(600))
        )
    }
}
