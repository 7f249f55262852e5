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
    private let defaultHashes = LockedState(0)
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

    package var load: Load {
        let load = pool.load
        return Load(running: load.running, waiting: load.waiting, defaultHashes: defaultHashes.withLock { $0 })
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
    /// A wrong password against any other algorithm than the default costs a default hash on top: as much as the right one, which
    /// is hashed anew, and no less than an unknown e-mail.
    ///
    /// - Parameters:
    ///   - password: What somebody sent.
    ///   - stored: The account's password.
    /// - Returns: The verdict; beyond ``maximumPasswordBytes`` it is wrong, at once.
    /// - Throws: ``APIError/overload(_:)`` when the queue is full; `CancellationError` when the task was cancelled while it
    ///   waited.
    package func verify(_ password: String, against stored: StoredPassword) async throws -> Verdict {
        guard let bytes = Self.bytes(password) else { return .wrong }
        return try await pool.run {
            guard stored.algorithm == .argon2(self.defaultAlgorithm) else {
                if try stored.matches(bytes) { return .right(needsRehash: true) }
                try self.deriveForNothing(bytes)
                return .wrong
            }
            let hash = try self.derive(bytes, salt: stored.salt)
            return constantTimeEqual(hash, stored.hash) ? .right(needsRehash: false) : .wrong
        }
    }

    /// Costs what one check of the default algorithm costs, for an unknown e-mail or an account without a password.
    ///
    /// - Parameter password: What somebody sent.
    /// - Throws: As ``verify(_:against:)``.
    package func verifyNothing(_ password: String) async throws {
        guard let bytes = Self.bytes(password) else { return }
        try await pool.run { try self.deriveForNothing(bytes) }
    }

    /// Takes no more passwords, and waits for those that were taken.
    package func close() async { await pool.close() }

    private func deriveForNothing(_ password: [UInt8]) throws { _ = try derive(password, salt: decoySalt) }

    // The one place that computes the default, so that what is counted is what was done.
    private func derive(_ password: [UInt8], salt: [UInt8]) throws -> [UInt8] {
        let hash = try defaultAlgorithm.derive(password, salt: salt)
        defaultHashes.withLock { $0 += 1 }
        return hash
    }

    private static func bytes(_ password: String) -> [UInt8]? {
        password.utf8.count <= maximumPasswordBytes ? Array(password.utf8) : nil
    }
}
