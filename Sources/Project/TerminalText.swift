/// Texts from outside in messages for operators, who read them in a terminal (threat case OPS-05).
package enum TerminalText {
    /// A text without characters that control a terminal: control characters, and marks that reverse the direction of text.
    package static func printable(_ text: String) -> String {
        var shown = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: shown += "\\u{\(String(scalar.value, radix: 16))}"
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }

    package static func path(_ path: String) -> String { path.isEmpty ? "a file with an empty name" : path }
}
