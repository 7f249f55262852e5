import Foundation

/// Writes text into headers: short ASCII unchanged, other text as encoded words (RFC 2047).
enum HeaderText {
    // RFC 2047 §2: a line with an encoded word has at most 76 characters, and a word at most 75.
    private static let lineLength = 76
    private static let wordOverhead = "=?UTF-8?B??=".count

    /// Whether a text may stand in a header: it has no control characters, so no CR, LF or NUL, and no Unicode line separators.
    static func isSafe(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
    }

    /// Whether a text has the form of a language tag (RFC 5646).
    static func isLanguageTag(_ text: String) -> Bool {
        (1...35).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
            }
    }

    /// An unstructured header such as `Subject`, folded, with its line end.
    static func unstructured(_ name: String, _ text: String) -> String {
        let prefix = "\(name): "
        let isPlain =
            text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } && !text.contains("=?") && !text.hasPrefix(" ")
            && !text.hasSuffix(" ") && prefix.utf8.count + text.utf8.count <= lineLength
        return prefix + (isPlain ? text : encodedWords(text, firstLine: lineLength - prefix.count)) + "\r\n"
    }

    /// An address header such as `From`, folded, with its line end.
    static func mailbox(_ name: String, _ mailbox: Mailbox) -> String {
        let prefix = "\(name): "
        guard let display = mailbox.name else { return "\(prefix)<\(mailbox.specification)>\r\n" }
        let isPlain = display.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } && !display.contains("=?") && display.utf8.count <= 50
        let phrase: String
        if isPlain {
            phrase = "\"" + display.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        } else {
            phrase = encodedWords(display, firstLine: lineLength - prefix.count)
        }
        return "\(prefix)\(phrase)\r\n <\(mailbox.specification)>\r\n"
    }

    // A word is split only between characters, so that each part can be decoded alone (RFC 2047 §5).
    private static func encodedWords(_ text: String, firstLine: Int) -> String {
        var words: [String] = []
        var word: [UInt8] = []
        func room() -> Int { ((words.isEmpty ? firstLine : lineLength - 1) - wordOverhead) / 4 * 3 }
        func flush() {
            words.append("=?UTF-8?B?\(Data(word).base64EncodedString())?=")
            word = []
        }
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if word.count + bytes.count > room() { flush() }
            word += bytes
        }
        if !word.isEmpty { flush() }
        return words.joined(separator: "\r\n ")
    }
}
