import Project

/// The documentation of one settings key, recorded while the key is read.
package struct DocumentedKey: Sendable, Hashable {
    /// The key as it is written in the file, with dots.
    package let name: String
    /// The environment variable that overrides the file.
    package let environmentName: String
    /// The form that its value must have.
    package let expected: String
    /// The behaviour when it is not set.
    package let defaultText: String
    /// Its effect, in one line.
    package let meaning: String
    /// Whether its value is never shown.
    package let isSecret: Bool

    /// The first part of the name.
    package var section: String {
        String(name.prefix { $0 != "." })
    }

    package var markdownRow: String {
        let secret = isSecret ? " (secret)" : ""
        return "| `\(name)` | `\(environmentName)` | \(defaultText) | \(expected) | \(meaning)\(secret) |"
    }

    package static let markdownHead = """
        | key | environment variable | default | value | meaning |
        |---|---|---|---|---|
        """

    /// The reference of these keys in Markdown: for each section a line `## SECTION` and its table, in the order of the keys.
    package static func reference(of keys: [DocumentedKey]) -> String {
        var sections: [String] = []
        for key in keys where !sections.contains(key.section) { sections.append(key.section) }
        return sections.map { section in
            let rows = keys.filter { $0.section == section }.map(\.markdownRow)
            return (["## \(section)", "", markdownHead] + rows).joined(separator: "\n")
        }
        .joined(separator: "\n\n")
    }
}
