import Foundation

/// The emulator's password hashes, which are the passwords themselves.
enum EmulatorPasswordHash {
    private static let prefix = "fakeHash:salt="
    private static let infix = ":password="

    /// The password of such a hash; `nil` for any other text.
    static func password(_ text: String) -> String? {
        guard text.hasPrefix(prefix), let infix = text.range(of: infix) else { return nil }
        return String(text[infix.upperBound...])
    }
}
