/// A message to one recipient, before it is turned into bytes.
package struct EmailMessage: Sendable, Hashable, Codable {
    /// Header and envelope sender.
    package var from: Mailbox
    /// The address for answers; `nil` for the sender's.
    package var replyTo: Mailbox?
    package var to: Mailbox
    package var subject: String
    /// The plain text, complete without the HTML. Lines end with LF.
    package var text: String
    /// The HTML with the same content; `nil` for a message of plain text only.
    package var html: String?
    /// The language of the texts (BCP 47).
    package var language: String

    /// Longest text and HTML together, in bytes.
    package static let maximumLength = 256 * 1024

    /// Checks headers, body and length.
    package func validate() throws {
        guard HeaderText.isSafe(subject), !subject.isEmpty else { throw EmailMessageError.header("subject") }
        guard HeaderText.isLanguageTag(language) else { throw EmailMessageError.header("language") }
        for mailbox in [from, to] + (replyTo.map { [$0] } ?? []) {
            _ = try Mailbox(address: mailbox.address, name: mailbox.name)
        }
        guard text.utf8.count + (html?.utf8.count ?? 0) <= Self.maximumLength else { throw EmailMessageError.tooLong }
        guard !text.utf8.contains(0), html?.utf8.contains(0) != true else { throw EmailMessageError.body }
    }
}

/// Why a message cannot be sent by any transport. No case carries the refused text.
package enum EmailMessageError: Error, Equatable, Sendable {
    /// The address is not one that mail can be sent to.
    case address
    /// A header would hold a control character, such as the line end that begins another header (CWE-93).
    case header(String)
    /// A body holds U+0000.
    case body
    /// Longer than ``EmailMessage/maximumLength``.
    case tooLong
}
