package import Project

/// Hashes and verifies passwords on threads of its own, with a bounded queue.
///
/// Where a password cannot be right, as much is computed as where it might be: the time of an answer does not tell whether an
/// account exists (threat case ENU-01). Memory is bounded by the workers times what one hash needs.
package final class PasswordHasher: Sendable {
    /// What a check has found.
    package enum Verdict: Sendable, Hashable {
        case wrong
        /// The password is right; `needsRehash` asks the caller to hash it anew and to store that.
        case right(needsRehash: Bool)
    }

    /// How busy the hasher is, for metrics.
    package struct Load: Sendable, Hashable {
        /// Jobs that run.
        package let running: Int
        /// Jobs that wait.
        package let waiting: Int
        /// Hashes with the default's parameters since the start.
        package let defaultHashes: Int
    }

    /// The longest password, in bytes of UTF-8 (threat case PWD-02).
    package static let maximumPasswordBytes = 4096

    private static let saltBytes = 16

    /// What new passwords are hashed with.
    package let defaultAlgorithm: Argon2Parameters
    private let environment: ServerEnvironment
    let pool: HashingPool
    private let counts = LockedState(Counts())
    // Stands in for the salt of a password that is not there.
    private let decoySalt: [UInt8]

    /// - Parameters:
    ///   - defaultAlgorithm: What new passwords are hashed with, and old ones at their next use.
    ///   - workers: Threads, at least 1; no more than the processors.
    ///   - queueLimit: How many may wait beyond those that are being worked on.
    ///   - environment: Where salts come from.
    package init(defaultAlgorithm: Argon2Parameters, workers: Int, queueLimit: Int, environment: ServerEnvironment) {
        self.defaultAlgorithm = defaultAlgorithm
        self.environment = environment
        pool = HashingPool(workers: workers, queueLimit: queueLimit)
        decoySalt = environment.random(Self.saltBytes)
    }

    private struct Counts: Sendable {
        var defaultHashes = 0
        var others: [PasswordWork: Int] = [:]
    }

    package var load: Load {
        let load = pool.load
        return Load(running: load.running, waiting: load.waiting, defaultHashes: counts.withLock { $0.defaultHashes })
    }

    /// How often other work than the default's was done since the start. The store holds few kinds of it.
    package var otherWork: [PasswordWork: Int] { counts.withLock { $0.others } }

    /// The work of the default algorithm.
    package var defaultWork: PasswordWork? {
        let hash = [UInt8](repeating: 0, count: defaultAlgorithm.hashLength)
        return StoredPassword(derivedWith: defaultAlgorithm, salt: decoySalt, hash: hash).work
    }

    /// Hashes a new password with the default algorithm and a fresh salt.
    ///
    /// - Parameter password: The password; its UTF-8 is hashed as it is, without any normalization.
    /// - Returns: What to store.
    /// - Throws: ``APIError`` with `PASSWORD_DOES_NOT_MEET_REQUIREMENTS` beyond ``maximumPasswordBytes``;
    ///   ``APIError/overload(_:)`` when the queue is full; `CancellationError` when the task was cancelled while it waited.
    package func hash(_ password: String) async throws -> StoredPassword {
        guard let bytes = Self.bytes(password) else {
            throw PasswordPolicy.refusal([.maximumLength(Self.maximumPasswordBytes)])
        }
        let salt = environment.random(Self.saltBytes)
        return try await pool.run {
            StoredPassword(derivedWith: self.defaultAlgorithm, salt: salt, hash: try self.derive(bytes, salt: salt))
        }
    }

    /// Checks a password against what is stored.
    ///
    /// Every wrong password costs the same, whatever is stored: one default hash, and each work that the store's other passwords take,
    /// once. So the time of a refusal tells an unknown e-mail, an account of the server's own and an imported one apart as little as its
    /// text does. A right one costs its own check alone, and its hash anew where it is asked for.
    ///
    /// - Parameters:
    ///   - password: What somebody sent.
    ///   - stored: The account's password; `nil` for an unknown e-mail or an account without a password.
    ///   - works: What the store's passwords cost, the same for all tries.
    /// - Returns: The verdict; beyond ``maximumPasswordBytes`` it is wrong, at once.
    /// - Throws: ``APIError/overload(_:)`` when the queue is full; `CancellationError` when the task was cancelled while it
    ///   waited.
    package func verify(
        _ password: String,
        against stored: StoredPassword?,
        among works: [PasswordWork] = []
    ) async throws -> Verdict {
        guard let bytes = Self.bytes(password) else { return .wrong }
        return try await pool.run { try self.check(bytes, against: stored, among: works) }
    }

    /// ``verify(_:against:among:)`` on this thread.
    func check(_ password: [UInt8], against stored: StoredPassword?, among works: [PasswordWork]) throws -> Verdict {
        var done: PasswordWork?
        if let stored, stored.algorithm == .argon2(defaultAlgorithm) {
            let hash = try derive(password, salt: stored.salt)
            if constantTimeEqual(hash, stored.hash) { return .right(needsRehash: false) }
        } else {
            if let stored {
                done = stored.work
                if let done { count(done) }
                if try stored.matches(password) { return .right(needsRehash: true) }
            }
            // One that differs from the default in what costs nothing stands for it.
            if done?.algorithm != .argon2(defaultAlgorithm) { _ = try derive(password, salt: decoySalt) }
        }
        for work in works where work != done && work.algorithm != .argon2(defaultAlgorithm) {
            count(work)
            try work.perform(password)
        }
        return .wrong
    }

    /// Takes no more passwords, and waits for those that were taken.
    package func close() async { await pool.close() }

    // The one place that computes the default, so that what is counted is what was done.
    private func derive(_ password: [UInt8], salt: [UInt8]) throws -> [UInt8] {
        let hash = try defaultAlgorithm.derive(password, salt: salt)
        counts.withLock { $0.defaultHashes += 1 }
        return hash
    }

    private func count(_ work: PasswordWork) { counts.withLock { $0.others[work, default: 0] += 1 } }

    private static func bytes(_ password: String) -> [UInt8]? {
        password.utf8.count <= maximumPasswordBytes ? Array(password.utf8) : nil
    }
}
