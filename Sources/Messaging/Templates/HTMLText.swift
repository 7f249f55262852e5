/// Escapes text for HTML.
package enum HTMLText {
    /// Escapes text for an element's content or a quoted attribute.
    ///
    /// It works on scalars, not on characters. A quote followed by a combining mark is one `Character` that is not equal to a
    /// quote, so an escape that works on characters would miss it.
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
