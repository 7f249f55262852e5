import Project

/// Remembers which of our own tokens have been verified, so that a client that calls often pays for its signature once.
///
/// It holds only what a token says, never that the token is still good: expiry, revocation and the account are looked at each
/// time. Bounded: when the younger half is full it becomes the older one, and what was not used in between is forgotten.
final class VerifiedTokenCache: Sendable {
    /// What a verified token says, and the key that it was verified with.
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

    /// - Parameter capacity: How many tokens a half holds.
    init(capacity: Int = 4096) { self.capacity = capacity }

    /// The entry of a token, by the SHA-256 of all of it.
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
