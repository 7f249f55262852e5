/// The limits of an account's id (`Docs/Contract/conventions.md` §4.2).
package enum LocalID {
    /// In UTF-16 code units. One visible character may consist of many.
    package static let maximumLength = 128

    /// Whether a text is no longer than an id may be.
    package static func fits(_ text: String) -> Bool { text.utf16.count <= maximumLength }
}
