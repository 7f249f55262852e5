import Project

/// What is known of one settings key, recorded while it is read.
package struct DocumentedKey: Sendable, Hashable {
    /// The key as it is written in the file, with dots.
    package let name: String
    /// The environment variable that overrides the file.
    package let environmentName: String
    /// What its value must look like.
    package let expected: String
    /// What holds when it is not set.
    package let defaultText: String
    /// One line on what it does.
    package let meaning: String
    /// Whether its value is never shown.
    package let isSecret: Bool

    /// The first part of the name.
    package var section: String {
        String(name.prefix { $0 != "." })
    }

    /// One row of the Markdown table of keys.
    package var markdownRow: String {
        let secret = isSecret ? " (secret)" : ""
        return "| `\(name)` | `\(environmentName)` | \(defaultText) | \(expected) | \(meaning)\(secret) |"
    }

    /// The head of that table.
    package static let markdownHead = """
        | key | environment variable | default | value | meaning |
        |---|---|---|---|---|
        """
}
