import Foundation
import Passwords
import Project

/// Makes stored passwords from the rows of an import.
struct ImportedPasswords: Sendable {
    /// The algorithm that the request names; `nil` when no row has a hash, and in development when the request names none.
    private let algorithm: PasswordAlgorithm?
    private let hasher: PasswordHasher
    private let mode: ModeRules
    private let allowsCostly: Bool
    private let hashes: Bool

    // As multiples of a default hash. What other servers use costs at most as much as bcrypt of cost 14, and more of it at a time would
    // keep all other passwords waiting.
    private static let mostCost = 24.0
    private static let mostCostAtAll = 128.0

    /// - Parameters:
    ///   - rows: The rows; parameters count only where one of them has a hash.
    ///   - mode: Development also takes what the emulator exports.
    ///   - allowsCostly: Whether hashes may cost more than those of common servers.
    ///   - hashes: Whether plain passwords are hashed. A dry run stores none, and many of them would keep everybody waiting.
    /// - Throws: `APIError` `MISSING_HASH_ALGORITHM` or one of the `INVALID_HASH_…` codes.
    init(
        _ request: JSONValue,
        rows: [ImportedAccount],
        hasher: PasswordHasher,
        mode: ModeRules,
        allowsCostly: Bool,
        hashes: Bool
    ) throws {
        self.hashes = hashes
        self.hasher = hasher
        self.mode = mode
        self.allowsCostly = allowsCostly
        guard rows.contains(where: { $0.passwordHash != nil && $0.passwordParameters == nil }) else {
            algorithm = nil
            return
        }
        do {
            algorithm = try PasswordAlgorithm(importing: request)
        } catch let error as APIError where error.code == .missingHashAlgorithm && mode.importsEmulatorHashes {
            algorithm = nil
        }
    }

    /// The stored form of a row's password; `nil` when it has none.
    ///
    /// - Throws: `APIError` when the server is overloaded. A fault of the row is in the result.
    func stored(_ row: ImportedAccount) async throws -> Swift.Result<StoredPassword?, PreparedImport.RowError> {
        guard let text = row.passwordHash else { return try await hashed(row.rawPassword) }
        if mode.importsEmulatorHashes, let password = EmulatorPasswordHash.password(text) { return try await hashed(password) }
        guard let hash = WireBase64.decode(text), let salt = WireBase64.decode(row.salt ?? "") else {
            return .failure(.init(message: "passwordHash and salt must be base64"))
        }
        guard let stored = try stored(hash: hash, salt: salt, row.passwordParameters) else {
            return .failure(.init(message: "passwordHash does not fit hashAlgorithm"))
        }
        if stored.cost > Self.mostCostAtAll { return .failure(.init(message: "passwordHash takes too long to check")) }
        if stored.cost > Self.mostCost, !allowsCostly {
            let message = "passwordHash takes long to check: only an administrator of the whole project may import it"
            return .failure(.init(message: message))
        }
        return .success(stored)
    }

    private func stored(hash: [UInt8], salt: [UInt8], _ own: JSONValue?) throws -> StoredPassword? {
        if let own {
            // Parameters of the row that exceed the limits refuse the row.
            guard let algorithm = try? PasswordAlgorithm(record: own) else { return nil }
            return Self.stored(algorithm, hash: hash, salt: salt)
        }
        // A development server's own export names no algorithm.
        return Self.stored(algorithm ?? .argon2(hasher.defaultAlgorithm), hash: hash, salt: salt)
    }

    // A text that is not a hash of the algorithm is kept as unusable, as Firebase keeps it (ruling 35).
    private static func stored(_ algorithm: PasswordAlgorithm, hash: [UInt8], salt: [UInt8]) -> StoredPassword? {
        StoredPassword(algorithm: algorithm, salt: salt, hash: hash) ?? .unusable(salt: salt, hash: hash)
    }

    private func hashed(_ password: String?) async throws -> Swift.Result<StoredPassword?, PreparedImport.RowError> {
        guard let password, !password.isEmpty else { return .success(nil) }
        guard password.utf8.count <= PasswordHasher.maximumPasswordBytes else {
            return .failure(.init(message: "rawPassword is too long"))
        }
        return .success(hashes ? try await hasher.hash(password, for: nil) : hasher.unhashed)
    }
}
