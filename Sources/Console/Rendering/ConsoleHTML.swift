import Messaging
import Mustache

/// How the console's templates escape values: for an element's content or a quoted attribute.
///
/// Mustache's own escape looks at characters and misses a quote with a combining mark, see `HTMLText.escape`.
struct ConsoleHTML: MustacheContentType {
    /// The name in templates.
    static let name = "CONSOLE"

    func escapeText(_ text: String) -> String {
        let isControl: (Unicode.Scalar) -> Bool = { $0.value < 0x20 && $0 != "\t" && $0 != "\n" && $0 != "\r" }
        guard text.unicodeScalars.contains(where: isControl) else { return HTMLText.escape(text) }
        // HTML allows no control characters (HTML §13.1.1).
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: text.unicodeScalars.map { isControl($0) ? "\u{FFFD}" : $0 })
        return HTMLText.escape(String(scalars))
    }
}
