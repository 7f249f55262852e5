import Foundation
package import Project

/// Encodes a message as bytes (RFC 5322, RFC 2045 to 2047).
///
/// The result depends only on the message and its stamp. So every attempt to deliver sends the same `Message-ID`, and a receiver
/// can recognize a repetition.
package enum MIMEEncoder {
    // RFC 2045 §6.7 and §6.8.
    private static let bodyLineLength = 76

    /// Encodes a message.
    ///
    /// - Returns: Headers and body, with CRLF line ends and no line longer than RFC 5322 §2.1.1 recommends.
    package static func encode(_ message: EmailMessage, stamp: EmailStamp) throws -> [UInt8] {
        try message.validate()
        guard HeaderText.isLanguageTag(stamp.id) else { throw EmailMessageError.header("Message-ID") }
        var output = HeaderText.mailbox("From", message.from)
        if let replyTo = message.replyTo { output += HeaderText.mailbox("Reply-To", replyTo) }
        output += HeaderText.mailbox("To", message.to)
        output += HeaderText.unstructured("Subject", message.subject)
        output += "Date: \(stamp.time.internetDate(zone: "+0000"))\r\n"
        // This header is never folded, because receivers compare it unchanged.
        output += "Message-ID: <\(stamp.id)@\(message.from.domain)>\r\n"
        output += "Content-Language: \(message.language)\r\n"
        // RFC 3834 §5: vacation responders do not answer messages with this header.
        output += "Auto-Submitted: auto-generated\r\n"
        output += "MIME-Version: 1.0\r\n"
        if let html = message.html {
            // Encoded bodies never contain the boundary: `=_` occurs in neither encoding (RFC 2045 §6.7).
            let boundary = "=_\(stamp.id)"
            output += "Content-Type: multipart/alternative;\r\n boundary=\"\(boundary)\"\r\n\r\n"
            output += "--\(boundary)\r\n" + part("plain", message.text) + "--\(boundary)\r\n" + part("html", html)
            output += "--\(boundary)--\r\n"
        } else {
            output += part("plain", message.text)
        }
        return Array(output.utf8)
    }

    private static func part(_ subtype: String, _ text: String) -> String {
        let lines = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
        let quoted = quotedPrintable(lines)
        let wide = Data(lines.replacing("\n", with: "\r\n").utf8)
        let isBase64 = wide.count * 4 / 3 < quoted.utf8.count
        let body =
            isBase64
            ? wide.base64EncodedString(options: [.lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed])
            : quoted
        return "Content-Type: text/\(subtype); charset=utf-8\r\n"
            + "Content-Transfer-Encoding: \(isBase64 ? "base64" : "quoted-printable")\r\n\r\n\(body)\r\n"
    }

    private static func quotedPrintable(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var output: [UInt8] = []
        var column = 0
        let bytes = Array(text.utf8)
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "\n") {
                output += [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
                column = 0
                continue
            }
            let endsLine = index + 1 == bytes.count || bytes[index + 1] == UInt8(ascii: "\n")
            let isPlain =
                (byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "=")) || (byte == UInt8(ascii: " ") && !endsLine)
            let token = isPlain ? [byte] : [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            if column + token.count > bodyLineLength - 1 {
                output += [UInt8(ascii: "="), UInt8(ascii: "\r"), UInt8(ascii: "\n")]
                column = 0
            }
            output += token
            column += token.count
        }
        return String(decoding: output, as: UTF8.self)
    }
}

/// Identifies one message. It is made once, together with the message.
package struct EmailStamp: Sendable, Hashable, Codable {
    /// 1 to 35 letters and digits that no other message has: the left side of the `Message-ID`.
    package let id: String
    private let milliseconds: Int64

    /// When the message was made: its `Date`.
    package var time: Timestamp { Timestamp(milliseconds: milliseconds) }

    /// Makes a stamp.
    package init(id: String, time: Timestamp) {
        self.id = id
        milliseconds = time.milliseconds
    }
}
