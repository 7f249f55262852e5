import Project

/// `MD5`, `SHA1`, `SHA256` and `SHA512`: a digest of salt and password, repeated (`Docs/Contract/admin-accounts.md` §10).
///
/// For imported records only. No document says how further rounds are built; here each further round hashes the digest.
package struct DigestParameters: Sendable, Hashable {
    package let function: DigestFunction
    /// How often the function runs; 0, which only MD5 allows, counts as 1.
    package let rounds: Int
    package let order: HashInputOrder

    /// - Throws: ``APIError`` with `INVALID_HASH_ROUNDS`, or `INVALID_HASH_ALGORITHM` for an unknown order.
    init(_ function: DigestFunction, reading parameters: HashParameters) throws {
        self.function = function
        rounds = try parameters.integer("rounds", in: (function == .md5 ? 0 : 1)...8192, or: .invalidHashRounds)
        order = try HashInputOrder(reading: parameters, default: .saltFirst)
    }
}

extension DigestParameters: HashAlgorithm {
    var parameters: JSONObject {
        [
            "hashAlgorithm": .string(function.rawValue), "rounds": .integer(Int64(rounds)), "passwordHashOrder": order.parameter,
        ]
    }

    func fits(salt: [UInt8], hash: [UInt8]) -> Bool { hash.count == function.byteCount || isHexadecimal(hash) }

    func cost(hash: [UInt8]) -> Double { Double(rounds) / 150_000 }

    func matches(_ password: [UInt8], salt: [UInt8], hash: [UInt8]) throws -> Bool {
        var digest = function.digest(order.join(password: password, salt: salt))
        for _ in 1..<max(rounds, 1) { digest = function.digest(digest) }
        guard isHexadecimal(hash) else { return constantTimeEqual(digest, hash) }
        return constantTimeEqual(Array(hexadecimal(digest).utf8), hash.map { $0 | 0x20 })
    }

    // The SDKs' own fixtures import the hexadecimal text of a digest in place of its bytes.
    private func isHexadecimal(_ hash: [UInt8]) -> Bool {
        hash.count == function.byteCount * 2
            && hash.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
                    UInt8(ascii: "A")...UInt8(ascii: "F"):
                    true
                default: false
                }
            }
    }
}
