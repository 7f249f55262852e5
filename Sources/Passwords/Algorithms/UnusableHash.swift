import Project

/// A hash that cannot be of the algorithm that its import named: it is kept as it came, and no password has it (ruling 35).
struct UnusableHash: HashAlgorithm {
    /// The name in stored passwords and in Postern's own exports; requests do not know it.
    static let name = "UNUSABLE"

    private static let maximumBytes = 1024

    var parameters: JSONObject { ["hashAlgorithm": .string(Self.name)] }

    func fits(salt: [UInt8], hash: [UInt8]) -> Bool { hash.count <= Self.maximumBytes }

    func matches(_ password: [UInt8], salt: [UInt8], hash: [UInt8]) throws -> Bool { false }
}
