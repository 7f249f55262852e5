import Crypto
import Project

/// Remembers our own tokens that were verified, so that the signature of a token is verified once and not on every call.
///
/// It keeps only the claims of a token. Expiry, revocation and the account are checked on every call. It is bounded: when the
/// younger half is full it becomes the older half, and entries that were not used in between are dropped.
final class VerifiedTokenCache: Sendable {
    /// The claims of a verified token, and the key that verified it.
    struct Entry: Sendable {
        let token: VerifiedIDToken
        let keyID: String?
    }

    private struct Halves: Sendable {
        // By the SHA-256 of the whole token.
        var younger: [SHA256.Digest: Entry] = [:]
        var older: [SHA256.Digest: Entry] = [:]
    }

    private let halves = LockedState(Halves())
    private let capacity: Int

    /// In bytes. The claims of a longer token would take too much memory, and few tokens are longer.
    static let longestToken = 4096

    /// - Parameter capacity: How many tokens each half holds.
    init(capacity: Int = 4096) { self.capacity = capacity }

    /// The entry of a token. One that is longer than ``longestToken`` is not kept.
    subscript(token: String) -> Entry? {
        get {
            guard token.utf8.count <= Self.longestToken else { return nil }
            let hash = Self.hash(token)
            return halves.withLock { halves in
                if let entry = halves.younger[hash] { return entry }
                guard let entry = halves.older.removeValue(forKey: hash) else { return nil }
                insert(hash, entry, &halves)
                return entry
            }
        }
        set {
            guard let newValue, token.utf8.count <= Self.longestToken else { return }
            let hash = Self.hash(token)
            halves.withLock { insert(hash, newValue, &$0) }
        }
    }

    private static func hash(_ token: String) -> SHA256.Digest {
        var token = token
        return token.withUTF8 { SHA256.hash(data: UnsafeRawBufferPointer($0)) }
    }

    private func insert(_ hash: SHA256.Digest, _ entry: Entry, _ halves: inout Halves) {
        if halves.younger.count >= capacity {
            halves.older = halves.younger
            halves.younger = [:]
        }
        halves.younger[hash] = entry
    }
}
