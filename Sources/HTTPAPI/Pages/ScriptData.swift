import Project

/// Data that pages pass to their scripts.
enum ScriptData {
    private static let escapes: [Unicode.Scalar: String] = [
        "<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u{2028}": "\\u2028", "\u{2029}": "\\u2029",
    ]

    /// JSON as the content of a `script` element. It is escaped so that it cannot end the element or begin another
    /// (HTML §4.12.1.3).
    ///
    /// It works on scalars, because `<` after U+0600, say, is part of a `Character` that is not equal to `<`.
    static func text(_ value: JSONValue) -> String {
        value.text.unicodeScalars.map { escapes[$0] ?? String($0) }.joined()
    }
}
