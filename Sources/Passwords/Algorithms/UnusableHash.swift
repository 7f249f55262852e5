import Project

/// A hash that cannot be of the algorithm that its import names. It is kept unchanged and matches no password (ruling 35).
struct UnusableHash: HashAlgorithm {
    /// The name in stored passwords and in Postern's own exports. Requests may not use it.
    static let name = "UNUSABLE"

    private static let maximumBytes = 1024

    var parameters: JSONObject { ["hashAlgorithm": .string(Self.name)] }

    func fits(salt: [UInt8], hash: [UInt8]) -> Bool { hash.count <= Self.maximumBytes }

    func cost(hash: [UInt8]) -> Double { 0 }

    func matches(_ password: [UInt8], salt: [UInt8], hash: [UInt8]) throws -> Bool { false }
}
