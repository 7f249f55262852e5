/// Text on its way into HTML.
package enum HTMLText {
    /// Escapes text for an element's content or a quoted attribute.
    ///
    /// It looks at scalars, not at characters: a quote followed by a combining mark is one `Character` that equals no quote, and
    /// an escape that looks at characters lets it through.
    package static func escape(_ text: String) -> String {
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
}
