import Foundation

/// How the keys of encrypted backups are written: a word that names the half, and 32 bytes in base64url.
package enum BackupKeyText {
    package enum Half: String, Sendable {
        case `public`
        case `private`

        fileprivate var prefix: String { "postern-backup-\(rawValue)-" }
    }

    private static let bytes = 32

    package static func text(of key: some Sequence<UInt8>, _ half: Half) -> String { half.prefix + Base64URL.encode(Array(key)) }

    /// Reads a key, ignoring white space around it.
    package static func bytes(of text: String, _ half: Half) -> [UInt8]? {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard trimmed.hasPrefix(half.prefix) else { return nil }
        return Base64URL.decode(trimmed.utf8.dropFirst(half.prefix.utf8.count)).flatMap { $0.count == bytes ? $0 : nil }
    }
}
