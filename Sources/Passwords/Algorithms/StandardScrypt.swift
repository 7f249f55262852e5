import Crypto
import CryptoExtras
import Project

/// `STANDARD_SCRYPT`: scrypt as RFC 7914 defines it (`Docs/Contract/admin-accounts.md` §10). For imported records only.
///
/// The contract gives no ranges. Postern's allow 128 MiB, and about twice the time of OWASP's strongest recommendation.
package struct StandardScryptParameters: Sendable, Hashable {
    /// N, a power of two.
    package let cost: Int
    /// r.
    package let blockSize: Int
    /// p.
    package let parallelization: Int
    /// Length of the hash, in bytes.
    package private(set) var derivedKeyLength: Int

    /// What one of N · r · p costs.
    static let costOfUnit = 1.25 / 131_072

    private static let usualKeyLength = 64

    /// Parameters of the same cost. The length of the key costs nothing that can be measured.
    var withoutLength: StandardScryptParameters {
        var copy = self
        copy.derivedKeyLength = Self.usualKeyLength
        return copy
    }

    // Limits of N · r, which needs 128 bytes of memory each, and of N · r · p, which determines the time.
    private static let maximumMemory = 1 << 20
    private static let maximumWork = 1 << 21

    /// - Throws: ``APIError`` with `INVALID_HASH_MEMORY_COST`, `INVALID_HASH_BLOCK_SIZE`, `INVALID_HASH_PARALLELIZATION` or
    ///   `INVALID_HASH_DERIVED_KEY_LENGTH`.
    init(reading parameters: HashParameters) throws {
        let costName = parameters.value("cpuMemCost") == nil ? "memoryCost" : "cpuMemCost"
        cost = try parameters.integer(costName, in: 2...Self.maximumMemory, or: .invalidHashMemoryCost)
        // For larger blocks with p = 1 the library allocates too little memory.
        blockSize = try parameters.integer("blockSize", in: 1...16, or: .invalidHashBlockSize)
        parallelization = try parameters.integer("parallelization", in: 1...64, or: .invalidHashParallelization)
        derivedKeyLength = try parameters.integer("dkLen", in: 4...1024, or: .invalidHashDerivedKeyLength)
        // RFC 7914 §2: N is a power of two and below 2^(16 r).
        guard cost.nonzeroBitCount == 1, blockSize > 1 || cost < 1 << 16, cost * blockSize <= Self.maximumMemory else {
            throw APIError(.invalidHashMemoryCost, "\(costName) must be a power of two that needs at most 128 MiB")
        }
        guard cost * blockSize * parallelization <= Self.maximumWork else {
            throw APIError(.invalidHashParallelization, "the parameters take too long")
        }
    }
}

extension StandardScryptParameters: HashAlgorithm {
    var parameters: JSONObject {
        [
            "hashAlgorithm": "STANDARD_SCRYPT", "cpuMemCost": .integer(Int64(cost)), "blockSize": .integer(Int64(blockSize)),
            "parallelization": .integer(Int64(parallelization)), "dkLen": .integer(Int64(derivedKeyLength)),
        ]
    }

    func fits(salt: [UInt8], hash: [UInt8]) -> Bool { hash.count == derivedKeyLength }

    func cost(hash: [UInt8]) -> Double { Double(cost * blockSize * parallelization) * Self.costOfUnit }

    func matches(_ password: [UInt8], salt: [UInt8], hash: [UInt8]) throws -> Bool {
        let key = try KDF.Scrypt.deriveKey(
            from: password,
            salt: salt,
            outputByteCount: derivedKeyLength,
            rounds: cost,
            blockSize: blockSize,
            parallelism: parallelization
        )
        return constantTimeEqual(key.withUnsafeBytes { Array($0) }, hash)
    }
}
