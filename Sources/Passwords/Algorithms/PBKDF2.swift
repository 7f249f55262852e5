import Crypto
import CryptoExtras
import Project

/// `PBKDF_SHA1` and `PBKDF2_SHA256`: PBKDF2 with HMAC (RFC 8018 §5.2, `Docs/Contract/admin-accounts.md` §10).
///
/// For imported records only. The output is as long as the stored hash.
package struct PBKDF2Parameters: Sendable, Hashable {
    /// The two functions that import requests know, and a third that other servers use.
    package enum Function: String, Sendable, Hashable {
        case sha1 = "PBKDF_SHA1"
        case sha256 = "PBKDF2_SHA256"
        case sha512 = "PBKDF2_SHA512"

        fileprivate var byteCount: Int {
            switch self {
            case .sha1: 20
            case .sha256: 32
            case .sha512: 64
            }
        }

        fileprivate var hash: KDF.Insecure.PBKDF2.HashFunction {
            switch self {
            case .sha1: .insecureSHA1
            case .sha256: .sha256
            case .sha512: .sha512
            }
        }
    }

    package let function: Function
    /// Iterations. 0 counts as 1: the contract allows it, the algorithm does not.
    package let rounds: Int

    // The time grows with the length: 512 bytes are 26 blocks of SHA-1. Salts and hashes in real use are far shorter.
    private static let hashLengths = 4...512
    /// The iterations that a request may ask for.
    static let importedRounds = 0...120_000
    /// The iterations that a record may ask for. The current recommendation for SHA-1 is 1,300,000.
    static let storedRounds = 0...2_000_000

    /// - Throws: ``APIError`` with `INVALID_HASH_ROUNDS`.
    init(_ function: Function, reading parameters: HashParameters, _ range: ClosedRange<Int>) throws {
        self.function = function
        rounds = try parameters.integer("rounds", in: range, or: .invalidHashRounds)
    }
}

extension PBKDF2Parameters: HashAlgorithm {
    var parameters: JSONObject {
        ["hashAlgorithm": .string(function.rawValue), "rounds": .integer(Int64(rounds))]
    }

    func fits(salt: [UInt8], hash: [UInt8]) -> Bool { Self.hashLengths.contains(hash.count) }

    func cost(hash: [UInt8]) -> Double {
        Double(blocks(hash) * max(rounds, 1)) / (function == .sha512 ? 75_000 : 150_000)
    }

    /// A length of the same cost: every hash of as many blocks takes the same time.
    func wholeLength(_ hash: [UInt8]) -> Int { min(blocks(hash) * function.byteCount, Self.hashLengths.upperBound) }

    // Each block of the output is all rounds again.
    private func blocks(_ hash: [UInt8]) -> Int { (hash.count + function.byteCount - 1) / function.byteCount }

    func matches(_ password: [UInt8], salt: [UInt8], hash: [UInt8]) throws -> Bool {
        let key = try KDF.Insecure.PBKDF2.deriveKey(
            from: password,
            salt: salt,
            using: function.hash,
            outputByteCount: hash.count,
            unsafeUncheckedRounds: max(rounds, 1)
        )
        return constantTimeEqual(key.withUnsafeBytes { Array($0) }, hash)
    }
}
