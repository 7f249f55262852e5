import Project

/// Data that pages pass to their scripts.
enum ScriptData {
    /// JSON as the content of a `script` element. It is escaped so that it cannot end the element or begin another
    /// (HTML §4.12.1.3).
    static func text(_ value: JSONValue) -> String {
        value.text.replacing("<", with: "\\u003c").replacing(">", with: "\\u003e").replacing("&", with: "\\u0026")
            .replacing("\u{2028}", with: "\\u2028").replacing("\u{2029}", with: "\\u2029")
    }
}
