import CCrypt
import Project

/// `BCRYPT`: the hash is the whole `$2a$10$…` text, salt and cost included (`Docs/Contract/admin-accounts.md` §10).
///
/// For imported records only. bcrypt ignores all bytes of a password after the first 72 or after a U+0000.
struct Bcrypt: HashAlgorithm {
    // The contract gives no range. Cost 15 takes some seconds, cost 31 would take days.
    private static let costs: ClosedRange<UInt8> = 4...15
    private static let variants: [[UInt8]] = ["$2a$", "$2b$", "$2y$"].map { Array($0.utf8) }
    private static let settingLength = 29
    private static let length = 60
    private static let significantBytes = 72

    var parameters: JSONObject { ["hashAlgorithm": "BCRYPT"] }

    func fits(salt: [UInt8], hash: [UInt8]) -> Bool {
        guard hash.count == Self.length, Self.variants.contains(Array(hash.prefix(4))), hash[6] == UInt8(ascii: "$") else {
            return false
        }
        guard let cost = UInt8(String(decoding: hash[4..<6], as: UTF8.self)), hash[4] != UInt8(ascii: "+"),
            Self.costs.contains(cost)
        else { return false }
        return hash.dropFirst(7).allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: ".")...UInt8(ascii: "9"):
                true
            default: false
            }
        }
    }

    func cost(hash: [UInt8]) -> Double {
        let exponent = hash.dropFirst(4).prefix(2).reduce(0) { $0 * 10 + Int($1 & 0x0F) }
        // Cost 10 takes half as long again as the default.
        return 1.5 * Double(1 << min(exponent, 31)) / 1024
    }

    func matches(_ password: [UInt8], salt: [UInt8], hash: [UInt8]) throws -> Bool {
        // The library takes a C string of limited length. A password with a U+0000 costs the same work and is then refused.
        let phrase = password.prefix(Self.significantBytes).prefix { $0 != 0 }
        let computed = try Self.crypt(Array(phrase), setting: Array(hash.prefix(Self.settingLength)))
        // Unused bits at the end of the salt may differ, so only the part after the salt is compared.
        let isSame = constantTimeEqual(
            Array(computed.dropFirst(Self.settingLength)),
            Array(hash.dropFirst(Self.settingLength))
        )
        return isSame && !password.contains(0)
    }

    /// A hash of the same cost that matches no password; `nil` when `hash` does not have the length of a bcrypt hash.
    static func decoy(of hash: [UInt8]) -> [UInt8]? {
        guard hash.count == length else { return nil }
        return Array("$2b$".utf8) + hash[4..<7] + [UInt8](repeating: UInt8(ascii: "."), count: length - 7)
    }

    private static func crypt(_ phrase: [UInt8], setting: [UInt8]) throws -> [UInt8] {
        let size = MemoryLayout<crypt_data>.size
        let scratch = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: MemoryLayout<crypt_data>.alignment)
        defer { scratch.deallocate() }
        scratch.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        let phrase = phrase.map(CChar.init(bitPattern:)) + [0]
        let setting = setting.map(CChar.init(bitPattern:)) + [0]
        guard let output = crypt_rn(phrase, setting, scratch, Int32(size)) else {
            throw HashingFailure(algorithm: "BCRYPT", code: 0)
        }
        return Array(String(cString: output).utf8)
    }
}
