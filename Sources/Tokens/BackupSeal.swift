import Crypto
package import Foundation
import Project

/// Encrypts backups for a key that the server does not have: HPKE (RFC 9180) with X25519, HKDF-SHA256 and ChaCha20-Poly1305.
///
/// A file is the line ``mark``, the encapsulated key (32 bytes), and pieces of 64 KiB, each with a tag of 16 bytes. HPKE counts the
/// pieces, and the last one says that it is the last: pieces that are missing, moved or added do not open.
package enum BackupSeal {
    /// The first line of an encrypted backup.
    package static let mark = Data("postern-backup-1\n".utf8)

    private static let suite = HPKE.Ciphersuite.Curve25519_SHA256_ChachaPoly
    private static let pieceBytes = 1 << 16
    private static let tagBytes = 16
    private static let encapsulatedBytes = 32

    /// Why a backup cannot be opened.
    package enum Failure: Error, CustomStringConvertible {
        case notEncrypted
        case cannotOpen
        case notPublicKey
        case notPrivateKey

        package var description: String {
            switch self {
            case .notEncrypted: "the file is no encrypted backup of Postern"
            case .cannotOpen: "the backup does not open with this key, or it is damaged or cut off"
            case .notPublicKey: "the text is no public key of postern backup keygen"
            case .notPrivateKey: "the file holds no private key of postern backup keygen"
            }
        }
    }

    /// The key that backups are encrypted for. It opens none.
    package struct Recipient: Sendable {
        fileprivate let key: Curve25519.KeyAgreement.PublicKey

        /// The key as `postern backup keygen` prints it.
        package var text: String { BackupKeyText.text(of: key.rawRepresentation, .public) }

        fileprivate init(key: Curve25519.KeyAgreement.PublicKey) { self.key = key }

        /// Reads a ``text``, ignoring white space around it.
        package init(text: String) throws {
            guard let bytes = BackupKeyText.bytes(of: text, .public),
                let key = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes)
            else { throw Failure.notPublicKey }
            self.key = key
        }
    }

    /// The key that opens backups.
    package struct Identity: Sendable {
        fileprivate let key: Curve25519.KeyAgreement.PrivateKey

        /// Makes a new key.
        package init() { key = Curve25519.KeyAgreement.PrivateKey() }

        /// Reads a ``text``, ignoring white space around it.
        package init(text: String) throws {
            guard let bytes = BackupKeyText.bytes(of: text, .private),
                let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes)
            else { throw Failure.notPrivateKey }
            self.key = key
        }

        /// The key as its file holds it.
        package var text: String { BackupKeyText.text(of: key.rawRepresentation, .private) }

        package var recipient: Recipient { Recipient(key: key.publicKey) }
    }

    /// Whether a file begins as encrypted backups do.
    package static func isEncrypted(_ file: FileHandle) throws -> Bool {
        try file.seek(toOffset: 0)
        defer { try? file.seek(toOffset: 0) }
        return try file.read(upToCount: mark.count) == mark
    }

    /// The size of an encrypted backup in bytes.
    package static func sealedBytes(of bytes: Int64) -> Int64 {
        let pieces = max((bytes + Int64(pieceBytes) - 1) / Int64(pieceBytes), 1)
        return Int64(mark.count + encapsulatedBytes) + bytes + pieces * Int64(tagBytes)
    }

    /// Encrypts a file, piece by piece.
    ///
    /// - Parameter plain: The file to read from where it stands.
    package static func seal(_ plain: FileHandle, for recipient: Recipient, write: (Data) throws -> Void) throws {
        var sender = try HPKE.Sender(recipientKey: recipient.key, ciphersuite: suite, info: mark)
        try write(mark + sender.encapsulatedKey)
        var piece = try whole(pieceBytes, of: plain)
        while true {
            let next = piece.count < pieceBytes ? Data() : try whole(pieceBytes, of: plain)
            try write(sender.seal(piece, authenticating: ending(isLast: next.isEmpty)))
            if next.isEmpty { return }
            piece = next
        }
    }

    /// Opens an encrypted file, piece by piece. What was written before an error must not be used.
    ///
    /// - Parameter sealed: The file to read from its beginning.
    package static func open(_ sealed: FileHandle, to plain: FileHandle, with identity: Identity) throws {
        guard try isEncrypted(sealed) else { throw Failure.notEncrypted }
        try sealed.seek(toOffset: UInt64(mark.count))
        let encapsulated = try whole(encapsulatedBytes, of: sealed)
        guard
            var recipient = try? HPKE.Recipient(
                privateKey: identity.key,
                ciphersuite: suite,
                info: mark,
                encapsulatedKey: encapsulated
            )
        else { throw Failure.cannotOpen }
        let size = pieceBytes + tagBytes
        var piece = try whole(size, of: sealed)
        while true {
            let next = piece.count < size ? Data() : try whole(size, of: sealed)
            guard let text = try? recipient.open(piece, authenticating: ending(isLast: next.isEmpty)) else {
                throw Failure.cannotOpen
            }
            try plain.write(contentsOf: text)
            if next.isEmpty { return }
            piece = next
        }
    }

    private static func ending(isLast: Bool) -> Data { Data([isLast ? 1 : 0]) }

    // A read may return less than it was asked for before the file ends.
    private static func whole(_ count: Int, of file: FileHandle) throws -> Data {
        var data = Data()
        while data.count < count, let more = try file.read(upToCount: count - data.count), !more.isEmpty { data += more }
        return data
    }
}
