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
        var younger: [[UInt8]: Entry] = [:]
        var older: [[UInt8]: Entry] = [:]
    }

    private let halves = LockedState(Halves())
    private let capacity: Int

    /// - Parameter capacity: How many tokens each half holds.
    init(capacity: Int = 4096) { self.capacity = capacity }

    /// The entry of a token, by the SHA-256 of the whole token.
    subscript(hash: [UInt8]) -> Entry? {
        get {
            halves.withLock { halves in
                if let entry = halves.younger[hash] { return entry }
                guard let entry = halves.older.removeValue(forKey: hash) else { return nil }
                insert(hash, entry, &halves)
                return entry
            }
        }
        set { halves.withLock { halves in newValue.map { insert(hash, $0, &halves) } } }
    }

    private func insert(_ hash: [UInt8], _ entry: Entry, _ halves: inout Halves) {
        if halves.younger.count >= capacity {
            halves.older = halves.younger
            halves.younger = [:]
        }
        halves.younger[hash] = entry
    }
}
