import Foundation

/// The limits of an account's id (`Docs/Contract/conventions.md` §4.2).
package enum LocalID {
    /// In UTF-16 code units. One visible character may consist of many.
    package static let maximumLength = 128

    /// Whether a text is no longer than an id may be.
    package static func fits(_ text: String) -> Bool { text.utf16.count <= maximumLength }

    /// Whether a text may become an account's id: no longer than that, without the character U+0000, which stores cannot keep, and in
    /// Normalization Form C. Swift takes texts of other forms for equal to it, and the store does not.
    package static func isAcceptable(_ text: String) -> Bool {
        guard fits(text) else { return false }
        if text.utf8.allSatisfy({ 0 < $0 && $0 < 0x80 }) { return true }
        return !text.utf8.contains(0) && bytesEqual(text.precomposedStringWithCanonicalMapping, text)
    }
}
