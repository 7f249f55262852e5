import Foundation

/// The plain text of a custom HTML body. Tags are removed, links keep their address, and blocks begin new lines.
///
/// It is not a sanitiser, and its result is never shown as HTML. It reads each character once, so that no body makes it slow.
struct PlainText {
    private static let unread: Set<String> = ["style", "script", "head", "title"]
    private static let blocks: Set<String> = ["br", "hr", "/p", "/div", "/h1", "/h2", "/h3", "/h4", "/h5", "/h6", "/li", "/tr"]

    private var rest: Substring
    private var output = ""
    private var link: (address: String, start: Int)?

    /// Converts a body.
    static func of(_ html: String) -> String {
        var reader = PlainText(rest: html[...])
        while let open = reader.rest.firstIndex(of: "<") {
            reader.append(reader.rest[..<open])
            reader.rest = reader.rest[open...]
            reader.readTag()
        }
        reader.append(reader.rest)
        let lines = reader.output.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
        return lines.joined(separator: "\n").trimmingCharacters(in: .newlines) + "\n"
    }

    // White space of any length becomes one space, as in HTML.
    private mutating func append(_ text: Substring) {
        for character in Self.unescaped(text) {
            if !character.isWhitespace {
                output.append(character)
            } else if output.last?.isWhitespace == false {
                output.append(" ")
            }
        }
    }

    private mutating func readTag() {
        if rest.hasPrefix("<!--") { return skip(past: "-->") }
        guard let close = rest.firstIndex(of: ">") else { return rest = rest[rest.endIndex...] }
        let tag = rest[rest.index(after: rest.startIndex)..<close]
        rest = rest[rest.index(after: close)...]
        let isClosing = tag.hasPrefix("/")
        let name = (isClosing ? "/" : "") + tag.dropFirst(isClosing ? 1 : 0).prefix { $0.isLetter || $0.isNumber }.lowercased()
        switch name {
        case _ where Self.unread.contains(name): skip(past: "</\(name)>")
        case _ where Self.blocks.contains(name): output.append("\n")
        case "a": link = Self.address(in: tag).map { ($0, output.utf8.count) }
        case "/a": endLink()
        default: break
        }
    }

    private mutating func skip(past end: String) {
        let found = rest.range(of: end, options: .caseInsensitive)
        rest = rest[(found?.upperBound ?? rest.endIndex)...]
    }

    private mutating func endLink() {
        guard let (address, start) = link else { return }
        link = nil
        let label = String(decoding: output.utf8.dropFirst(start), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard label != address else { return }
        output += label.isEmpty ? address : ": \(address)"
    }

    private static func address(in tag: Substring) -> String? {
        guard let match = tag.firstMatch(of: /(?i)\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/) else { return nil }
        return (match.1 ?? match.2).map(unescaped)
    }

    // The ampersand is replaced last, so that `&amp;lt;` becomes `&lt;`.
    private static func unescaped(_ text: Substring) -> String {
        let entities = [
            ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&apos;", "'"), ("&nbsp;", " "), ("&amp;", "&"),
        ]
        guard text.contains("&") else { return String(text) }
        return entities.reduce(String(text)) { $0.replacing($1.0, with: $1.1) }
    }
}
