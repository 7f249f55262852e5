import Foundation

/// Between HTML and plain text.
enum HTMLText {
    /// Escapes text for an element's content or a quoted attribute.
    ///
    /// It looks at scalars, not at characters: a quote followed by a combining mark is one `Character` that equals no quote, and
    /// an escape that looks at characters lets it through.
    static func escape(_ text: String) -> String {
        var output = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": output.append(contentsOf: "&amp;".unicodeScalars)
            case "<": output.append(contentsOf: "&lt;".unicodeScalars)
            case ">": output.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": output.append(contentsOf: "&quot;".unicodeScalars)
            case "'": output.append(contentsOf: "&#39;".unicodeScalars)
            default: output.append(scalar)
            }
        }
        return String(output)
    }

    /// The text of a custom HTML body: tags go, links keep their address, blocks begin new lines.
    ///
    /// It serves readers who see no HTML; it is no sanitiser, and its result is never shown as HTML.
    static func plain(_ html: String) -> String {
        // In a text that is no HTML body of sane size, patterns are not run over megabytes: the message's limit is 256 KiB.
        let text =
            html
            .replacing(/(?is)<(style|script|head|title)\b[^>]*>.*?<\/\1\s*>/, with: "")
            .replacing(/(?s)<!--.*?-->/, with: "")
            .replacing(/\s+/, with: " ")
            .replacing(/(?i)<a\s[^>]*?href\s*=\s*(?:"([^"]*)"|'([^']*)')[^>]*>(.*?)<\/a\s*>/) { match in
                let address = String(match.1 ?? match.2 ?? "")
                let label = String(match.3).replacing(/<[^>]*>/, with: "").trimmingCharacters(in: .whitespaces)
                return label.isEmpty || label == address ? address : "\(label): \(address)"
            }
            .replacing(/(?i)<(?:br|\/p|\/div|\/h[1-6]|\/li|\/tr|hr)\b[^>]*>/, with: "\n")
            .replacing(/<[^>]*>/, with: "")
        let lines = unescape(text).split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
        return lines.joined(separator: "\n").replacing(/\n{3,}/, with: "\n\n").trimmingCharacters(in: .newlines) + "\n"
    }

    // The ampersand comes last, so that `&amp;lt;` becomes `&lt;`.
    private static func unescape(_ text: String) -> String {
        let entities = [
            ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&apos;", "'"), ("&nbsp;", " "), ("&amp;", "&"),
        ]
        return entities.reduce(text) { $0.replacing($1.0, with: $1.1) }
    }
}
