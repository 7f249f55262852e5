import Project

/// What pages hand to their scripts.
enum ScriptData {
    /// JSON as the content of a `script` element: nothing in it ends the element or begins another (HTML §4.12.1.3).
    static func text(_ value: JSONValue) -> String {
        value.text.replacing("<", with: "\\u003c").replacing(">", with: "\\u003e").replacing("&", with: "\\u0026")
            .replacing("\u{2028}", with: "\\u2028").replacing("\u{2029}", with: "\\u2029")
    }
}
