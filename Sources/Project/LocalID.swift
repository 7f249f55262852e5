/// What the id of an account may be (`contract/conventions.md` §4.2).
package enum LocalID {
    /// UTF-16 code units; what a reader sees as one character may have any number of those.
    package static let maximumLength = 128

    /// Whether a text is no longer than an id may be.
    package static func fits(_ text: String) -> Bool { text.utf16.count <= maximumLength }
}
