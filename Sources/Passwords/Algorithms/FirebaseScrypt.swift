import Crypto
import CryptoExtras
import Project

/// `SCRYPT`: Firebase's own variant, which encrypts the project's signer key with a key that scrypt derives
/// (`Docs/Contract/admin-accounts.md` §10.1). For imported records only.
package struct FirebaseScryptParameters: Sendable, Hashable {
    package private(set) var signerKey: [UInt8]
    package private(set) var saltSeparator: [UInt8]
    /// scrypt's block size.
    package let rounds: Int
    /// Binary logarithm of scrypt's cost.
    package let memoryCost: Int

    /// - Throws: ``APIError`` with `INVALID_HASH_KEY`, `INVALID_HASH_SALT_SEPARATOR`, `INVALID_HASH_ROUNDS` or
    ///   `INVALID_HASH_MEMORY_COST`.
    init(reading parameters: HashParameters) throws {
        signerKey = try parameters.signerKey()
        saltSeparator = try parameters.bytes("saltSeparator", or: .invalidHashSaltSeparator)
        rounds = try parameters.integer("rounds", in: 1...8, or: .invalidHashRounds)
        memoryCost = try parameters.integer("memoryCost", in: 1...14, or: .invalidHashMemoryCost)
    }

    // The length of Firebase's keys.
    private static let usualKeyBytes = 64

    /// Parameters of the same cost without the project's key.
    var withoutSecrets: FirebaseScryptParameters {
        var copy = self
        copy.signerKey = [UInt8](repeating: 0, count: Self.usualKeyBytes)
        copy.saltSeparator = []
        return copy
    }
}

extension FirebaseScryptParameters: HashAlgorithm {
    var parameters: JSONObject {
        [
            "hashAlgorithm": "SCRYPT", "signerKey": signerKey.base64URL, "saltSeparator": saltSeparator.base64URL,
            "rounds": .integer(Int64(rounds)), "memoryCost": .integer(Int64(memoryCost)),
        ]
    }

    func fits(salt: [UInt8], hash: [UInt8]) -> Bool { hash.count == signerKey.count }

    func cost(hash: [UInt8]) -> Double { Double(rounds << memoryCost) * StandardScryptParameters.costOfUnit }

    func matches(_ password: [UInt8], salt: [UInt8], hash: [UInt8]) throws -> Bool {
        // Steps 1 and 2 of the contract page.
        let derived = try KDF.Scrypt.deriveKey(
            from: password,
            salt: salt + saltSeparator,
            outputByteCount: 64,
            rounds: 1 << memoryCost,
            blockSize: rounds,
            parallelism: 1
        )
        // Steps 3 and 4 of the contract page.
        let key = derived.withUnsafeBytes { SymmetricKey(data: Array($0.prefix(32))) }
        let counter = try AES._CTR.Nonce(nonceBytes: [UInt8](repeating: 0, count: 16))
        return constantTimeEqual(Array(try AES._CTR.encrypt(signerKey, using: key, nonce: counter)), hash)
    }
}
