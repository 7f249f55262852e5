package import Project

/// Hashes and verifies passwords on threads of its own, with a bounded queue.
///
/// A check that cannot succeed does as much work as one that can, so the time of an answer does not tell whether an account
/// exists (threat case ENU-01). Memory is bounded by the number of workers times the memory of one hash.
package final class PasswordHasher: Sendable {
    /// The result of a check.
    package enum Verdict: Sendable, Hashable {
        case wrong
        /// The password is right. `needsRehash` asks the caller to hash it again and to store the new hash.
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

    /// What a wrong password costs at most besides its own check, as a multiple of a default hash: bcrypt of cost 12, or Firebase's
    /// scrypt together with bcrypt of cost 10.
    private static let mostPadding = 6.0

    private static let saltBytes = 16

    package let defaultAlgorithm: Argon2Parameters
    private let environment: ServerEnvironment
    let pool: HashingPool
    private let counts = LockedState(Counts())
    // Replaces the salt of a password that does not exist.
    private let decoySalt: [UInt8]

    /// - Parameters:
    ///   - defaultAlgorithm: The algorithm of new passwords, and of old ones after their next use.
    ///   - workers: Threads, at least 1 and not more than the processors.
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

    /// How often work other than the default's was done since the start. The store holds few kinds of it.
    package var otherWork: [PasswordWork: Int] { counts.withLock { $0.others } }

    package var defaultWork: PasswordWork? { unhashed.work }

    /// What stands for a password that nobody will store, so that it need not be hashed.
    package var unhashed: StoredPassword {
        let hash = [UInt8](repeating: 0, count: defaultAlgorithm.hashLength)
        return StoredPassword(derivedWith: defaultAlgorithm, salt: decoySalt, hash: hash)
    }

    /// The kinds of work that a wrong password costs besides the default's hash: the cheapest ones that together cost a few default
    /// hashes, so that nobody who imports passwords makes those of others slow (threat case RES-07).
    ///
    /// - Returns: The time of a wrong password may tell accounts of the others.
    package func padding(_ works: [PasswordWork]) -> [PasswordWork] {
        var left = Self.mostPadding * max(defaultAlgorithm.cost(hash: []), 1)
        let others = Set(works).filter { $0.algorithm != .argon2(defaultAlgorithm) }.map {
            (work: $0, cost: $0.cost, text: $0.text)
        }
        return others.sorted { ($0.cost, $0.text) < ($1.cost, $1.text) }
            .prefix { other in
                left -= other.cost
                return left >= 0
            }
            .map(\.work)
    }

    /// Hashes a new password with the default algorithm and a fresh salt.
    ///
    /// - Parameters:
    ///   - password: Its UTF-8 is hashed without any normalization.
    ///   - client: The client whose share of the queue this takes; `nil` for the share of administrators.
    /// - Throws: ``APIError`` with `PASSWORD_DOES_NOT_MEET_REQUIREMENTS` beyond ``maximumPasswordBytes``;
    ///   ``APIError/overload(_:)`` when the queue is full or the client's share of it used up; `CancellationError` when the task
    ///   was cancelled while it waited.
    package func hash(_ password: String, for client: HashingClient?) async throws -> StoredPassword {
        guard let bytes = Self.bytes(password) else {
            throw PasswordPolicy.refusal([.maximumLength(Self.maximumPasswordBytes)])
        }
        let salt = environment.random(Self.saltBytes)
        return try await run(for: client) {
            StoredPassword(derivedWith: self.defaultAlgorithm, salt: salt, hash: try self.derive(bytes, salt: salt))
        }
    }

    /// Checks a password against the stored one.
    ///
    /// Every wrong password costs the same: one default hash, and once each kind of work that other passwords need, as far as
    /// ``padding(_:)`` goes.
    /// So the time of a refusal does not tell apart an unknown e-mail, an account of the server's own and an imported account. A
    /// right password costs only its own check, and a new hash if one is needed.
    ///
    /// - Parameters:
    ///   - stored: The account's password; `nil` for an unknown e-mail or an account without a password.
    ///   - works: The kinds of work of the scope's passwords, the same for every try.
    /// - Returns: A password beyond ``maximumPasswordBytes`` is wrong without any work.
    package func verify(
        _ password: String,
        against stored: StoredPassword?,
        among works: [PasswordWork] = [],
        for client: HashingClient?
    ) async throws -> Verdict {
        guard let bytes = Self.bytes(password) else { return .wrong }
        return try await run(for: client) { try self.check(bytes, against: stored, among: works) }
    }

    private func run<T: Sendable>(for client: HashingClient?, _ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await TracedOperation.hash.trace {
            let start = ContinuousClock.now
            let result = try await pool.run(for: client, body)
            environment.record("postern_password_hash_duration_seconds", ContinuousClock.now - start)
            return result
        }
    }

    /// Does the work of ``verify(_:against:among:)`` on this thread.
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
            // Parameters that differ from the default only in what costs nothing count as the default.
            if done?.algorithm != .argon2(defaultAlgorithm) { _ = try derive(password, salt: decoySalt) }
        }
        for work in padding(works) where work != done {
            count(work)
            try work.perform(password)
        }
        return .wrong
    }

    /// Refuses new passwords, and waits for those that were accepted.
    package func close() async { await pool.close() }

    // New hashes, and checks of those that have exactly the default's parameters.
    private func derive(_ password: [UInt8], salt: [UInt8]) throws -> [UInt8] {
        let hash = try defaultAlgorithm.derive(password, salt: salt)
        counts.withLock { $0.defaultHashes += 1 }
        return hash
    }

    private func count(_ work: PasswordWork) {
        let isDefault = work.algorithm == .argon2(defaultAlgorithm)
        counts.withLock { if isDefault { $0.defaultHashes += 1 } else { $0.others[work, default: 0] += 1 } }
    }

    private static func bytes(_ password: String) -> [UInt8]? {
        password.utf8.count <= maximumPasswordBytes ? Array(password.utf8) : nil
    }
}
