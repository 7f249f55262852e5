import Foundation
import Messaging
import Project
import Testing

@Suite("Messages as bytes")
struct MIMEEncoderTests {
    private func encode(_ message: EmailMessage) throws -> String {
        String(decoding: try MIMEEncoder.encode(message, stamp: sampleStamp), as: UTF8.self)
    }

    @Test("headers are complete, and every attempt has the same ones")
    func headers() throws {
        let text = try encode(sampleMessage())
        #expect(text.contains("From: \"Example\"\r\n <noreply@mail.example>\r\n"))
        #expect(text.contains("To: <ada@example.org>\r\n"))
        #expect(text.contains("Date: Thu, 01 Jan 2026 00:00:00 +0000\r\n"))
        #expect(text.contains("Message-ID: <Stamp1234@mail.example>\r\n"))
        #expect(text.contains("MIME-Version: 1.0\r\n"))
        #expect(text.contains("Auto-Submitted: auto-generated\r\n"))
        #expect(try encode(sampleMessage()) == text)
    }

    @Test("whatever the text, lines end with CRLF, are short, and are ASCII")
    func lines() throws {
        let long = String(repeating: "Größe 大きさ = “x”. ", count: 80)
        let message = try sampleMessage(
            subject: String(repeating: "длинная тема ", count: 20),
            text: long + "\r\n.\n\ttab \n" + String(repeating: "a", count: 3000),
            html: "<p>\(long)</p>"
        )
        let bytes = try MIMEEncoder.encode(message, stamp: sampleStamp)
        #expect(bytes.allSatisfy { $0 < 0x80 && $0 != 0 })
        let lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
        #expect(lines.allSatisfy { $0.utf8.count <= 76 && !$0.contains("\n") && !$0.contains("\r") })
    }

    @Test(
        "what would begin another header is refused",
        arguments: ["a\r\nBcc: eve@example.org", "a\nb", "a\rb", "a\0b", "a\u{2028}b", "a\u{85}b", "a\u{B}b"]
    )
    func injection(hostile: String) throws {
        #expect(throws: EmailMessageError.header("subject")) { try encode(sampleMessage(subject: hostile)) }
        #expect(throws: EmailMessageError.header("name")) { try Mailbox(address: "a@example.org", name: hostile) }
        #expect(throws: EmailMessageError.address) { try Mailbox(address: "\(hostile)@example.org") }
        #expect(throws: EmailMessageError.address) { try Mailbox(address: "a@\(hostile).org") }
        #expect(throws: (any Error).self) { try Mailbox(parsing: "x <\(hostile)@example.org>") }
        var message = try sampleMessage()
        message.language = hostile
        #expect(throws: EmailMessageError.header("language")) { try encode(message) }
    }

    @Test(
        "an address is one plain address",
        arguments: ["", "a", "@b", "a@", "a@b,c@d", "a@b@c", "<a@b>", "a b@c", "a@b>", "ä@example.org", "a@b.org> SIZE=1"]
    )
    func address(text: String) {
        #expect(throws: EmailMessageError.address) { try Mailbox(address: text) }
    }

    @Test("a domain of other letters travels in its ASCII form")
    func internationalDomain() throws {
        #expect(try Mailbox(address: "info@bücher.example").address == "info@xn--bcher-kva.example")
        #expect(throws: EmailMessageError.address) { try Mailbox(address: "info@bü/cher.example") }
        #expect(throws: EmailMessageError.address) { try Mailbox(address: "info@bü:80") }
    }

    @Test("a sender is read with and without a name")
    func parsing() throws {
        #expect(try Mailbox(parsing: " a@example.org ") == Mailbox(address: "a@example.org"))
        #expect(try Mailbox(parsing: "Ada L <a@example.org>") == Mailbox(address: "a@example.org", name: "Ada L"))
        #expect(try Mailbox(parsing: "\"Ada \\\"L\\\"\" <a@example.org>") == Mailbox(address: "a@example.org", name: "Ada \"L\""))
    }

    @Test("a sender of many flags is read in no time")
    func parsingInLinearTime() {
        // To find the border between two flags from behind, all of them are counted.
        let text = String(repeating: "\u{1F1E6}", count: 60_000)
        let time = ContinuousClock().measure {
            for end in [">", "<a@example.org>"] { #expect((try? Mailbox(parsing: text + end))?.address != "") }
        }
        #expect(time < .seconds(8))
    }

    @Test("a local part that is no dot-atom is quoted")
    func quotedLocalPart() throws {
        #expect(try encode(sampleMessage(to: "a..b@docomo.example")).contains("To: <\"a..b\"@docomo.example>\r\n"))
    }

    @Test("a message that is too long, or holds U+0000, is refused")
    func limits() throws {
        let long = String(repeating: "a", count: EmailMessage.maximumLength + 1)
        #expect(throws: EmailMessageError.tooLong) { try encode(sampleMessage(text: long)) }
        #expect(throws: EmailMessageError.body) { try encode(sampleMessage(text: "a\0b")) }
    }
}
