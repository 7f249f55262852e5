/// The longest texts of a user's profile, counted as Unicode scalars (`Docs/Contract/conventions.md` §4.2).
package enum ProfileLimits {
    package static let displayName = 256
    /// The address of the picture.
    package static let photoURL = 2048
    /// Any other text, such as the language.
    package static let other = 256
    /// How many identities of providers an account may have that administrators give it.
    package static let identities = 100
    /// How many bytes the texts of all of them may have. A page of a thousand accounts has all of their texts in memory.
    package static let identityBytes = 64 * 1024
    /// The most bytes where the rules of a mode set no limit, as in development.
    package static let mostBytes = 64 * 1024

    /// Whether a text may be stored: bounded, and without U+0000, which PostgreSQL does not store.
    ///
    /// - Parameter mode: Development sets no limit of characters.
    package static func fits(_ text: String?, _ length: Int, _ mode: ModeRules) -> Bool {
        guard let text else { return true }
        return text.utf8.count <= mostBytes && (!mode.boundsProfileTexts || text.unicodeScalars.count <= length)
            && !text.utf8.contains(0)
    }

    /// Refuses a text that may not be stored, for every caller: endpoints refuse it before by the rules of their own messages.
    package static func check(_ text: String?, named name: String, atMost length: Int, _ mode: ModeRules) throws {
        if !fits(text, length, mode) {
            throw InvalidArgument("\(name) must not have more than \(length) characters, nor the character U+0000")
        }
    }
}
