/// Limits on the texts that a provider or its user puts into a profile (`Docs/Contract/conventions.md` §4.2).
enum ProfileText {
    /// A provider's id of a user: 1 to 255 bytes (OpenID Connect Core 1.0 §2) without U+0000; `nil` for any other text.
    static func subject(_ text: String) -> String? {
        (1...255).contains(text.utf8.count) && !text.utf8.contains(0) ? text : nil
    }

    /// A name of at most 256 characters; `nil` when it is empty, longer, or contains U+0000, which no store keeps.
    static func name(_ text: String) -> String? {
        !text.isEmpty && text.unicodeScalars.count <= 256 && !text.utf8.contains(0) ? text : nil
    }

    /// A photo's URL of at most 2048 characters; `nil` when it is empty, longer, or not `http(s)`.
    static func photoURL(_ text: String) -> String? {
        let isWeb = text.hasPrefix("https://") || text.hasPrefix("http://")
        return isWeb && text.unicodeScalars.count <= 2048 && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F } ? text : nil
    }
}
