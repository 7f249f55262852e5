import CArgon2
import Project

/// `ARGON2`: Argon2 (RFC 9106, `Docs/Contract/admin-accounts.md` §10). New passwords are hashed with its `id` variant.
package struct Argon2Parameters: Sendable, Hashable {
    /// RFC 9106 §3.4.
    package enum Variant: Int, Sendable, Hashable {
        case d = 1
        case id = 2
        case i = 3
    }

    /// The algorithm's version; the raw value is an input of the hash.
    package enum Version: UInt32, Sendable, Hashable {
        case v10 = 0x10
        case v13 = 0x13
    }

    package let variant: Variant
    package let version: Version
    package let memoryKiB: Int
    /// Passes over the memory.
    package let iterations: Int
    /// Lanes. They are computed one after the other, on one thread.
    package let parallelism: Int
    /// Length of the hash, in bytes.
    package private(set) var hashLength: Int
    package private(set) var associatedData: [UInt8]

    /// The memory that an import may ask for, in KiB.
    static let importedMemory = 1...32_768
    /// The memory that the server's own setting may ask for, in KiB.
    static let configuredMemory = 1...262_144

    private static let variantNames = ["HASH_TYPE_UNSPECIFIED", "ARGON2_D", "ARGON2_ID", "ARGON2_I"]
    private static let versionNames = ["VERSION_UNSPECIFIED", "VERSION_10", "VERSION_13"]

    /// OWASP's recommendation: Argon2id with 19 MiB, 2 passes, 1 lane (Password Storage Cheat Sheet).
    package static let owasp = Argon2Parameters(uncheckedMemoryKiB: 19_456, iterations: 2, parallelism: 1)

    /// Argon2id, version 1.3, with a hash of 32 bytes: the form of new passwords. `nil` when a value is out of range.
    ///
    /// - Parameters:
    ///   - memoryKiB: Memory in KiB, from 8 per lane to 262144.
    ///   - iterations: Passes, 1 to 16.
    ///   - parallelism: Lanes, 1 to 16.
    package init?(memoryKiB: Int, iterations: Int, parallelism: Int) {
        guard (1...16).contains(iterations), (1...16).contains(parallelism), memoryKiB >= 8 * parallelism,
            Self.configuredMemory.contains(memoryKiB)
        else { return nil }
        self.init(uncheckedMemoryKiB: memoryKiB, iterations: iterations, parallelism: parallelism)
    }

    private init(uncheckedMemoryKiB memoryKiB: Int, iterations: Int, parallelism: Int) {
        variant = .id
        version = .v13
        self.memoryKiB = memoryKiB
        self.iterations = iterations
        self.parallelism = parallelism
        hashLength = 32
        associatedData = []
    }

    /// - Parameter request: The import's parameters: in `argon2Parameters`, or beside `hashAlgorithm` as the Java SDK sends them.
    init(reading request: HashParameters, memory: ClosedRange<Int>) throws {
        let parameters = request.value("argon2Parameters").map(HashParameters.init) ?? request
        let variantIndex = try parameters.enumeration("hashType", of: Self.variantNames, or: .invalidHashAlgorithm)
        variant = try require(Variant(rawValue: variantIndex), .invalidHashAlgorithm)
        version = try Self.version(parameters)
        iterations = try parameters.integer("iterations", in: 1...16, or: .invalidHashRounds)
        parallelism = try parameters.integer("parallelism", in: 1...16, or: .invalidHashParallelization)
        // RFC 9106 §3.1: at least 8 KiB for each lane.
        let leastMemory = max(memory.lowerBound, 8 * parallelism)
        memoryKiB = try parameters.integer("memoryCostKib", in: leastMemory...memory.upperBound, or: .invalidHashMemoryCost)
        hashLength = try parameters.integer("hashLengthBytes", in: 4...1024, or: .invalidHashDerivedKeyLength)
        associatedData = try parameters.bytes("associatedData", or: .invalidHashKey)
    }

    /// Parameters of the same cost without the associated data. The length of the hash costs nothing that can be measured.
    var withoutSecrets: Argon2Parameters {
        var copy = self
        copy.associatedData = []
        copy.hashLength = Self.owasp.hashLength
        return copy
    }

    // By name or index, or by the version's own value, as the Java SDK sends it.
    private static func version(_ parameters: HashParameters) throws -> Version {
        if let value = parameters.value("version")?.integer.flatMap(UInt32.init(exactly:)), let version = Version(rawValue: value)
        {
            return version
        }
        let index = try parameters.enumeration("version", of: versionNames, or: .invalidHashAlgorithm)
        return index == 1 ? .v10 : .v13
    }
}

extension Argon2Parameters: HashAlgorithm {
    var parameters: JSONObject {
        var members: JSONObject = [
            "hashType": .string(Self.variantNames[variant.rawValue]), "version": .integer(Int64(version.rawValue)),
            "memoryCostKib": .integer(Int64(memoryKiB)), "iterations": .integer(Int64(iterations)),
            "parallelism": .integer(Int64(parallelism)), "hashLengthBytes": .integer(Int64(hashLength)),
        ]
        if !associatedData.isEmpty { members["associatedData"] = associatedData.base64URL }
        return ["hashAlgorithm": "ARGON2", "argon2Parameters": .object(members)]
    }

    // The library refuses salts below 8 bytes (RFC 9106 §3.1 recommends 16).
    func fits(salt: [UInt8], hash: [UInt8]) -> Bool { salt.count >= 8 && hash.count == hashLength }

    func cost(hash: [UInt8]) -> Double {
        Double(memoryKiB * iterations) / Double(Self.owasp.memoryKiB * Self.owasp.iterations)
    }

    func matches(_ password: [UInt8], salt: [UInt8], hash: [UInt8]) throws -> Bool {
        constantTimeEqual(try derive(password, salt: salt), hash)
    }

    /// Computes the hash, on this thread alone.
    ///
    /// - Parameter salt: At least 8 bytes.
    func derive(_ password: [UInt8], salt: [UInt8]) throws -> [UInt8] {
        var password = password
        var salt = salt
        var associatedData = associatedData
        var hash = [UInt8](repeating: 0, count: hashLength)
        // The library takes mutable pointers, but writes only to the hash.
        let code = hash.withUnsafeMutableBufferPointer { hash in
            password.withUnsafeMutableBufferPointer { password in
                salt.withUnsafeMutableBufferPointer { salt in
                    associatedData.withUnsafeMutableBufferPointer { associatedData in
                        var context = argon2_context()
                        (context.out, context.outlen) = (hash.baseAddress, UInt32(hash.count))
                        (context.pwd, context.pwdlen) = (password.baseAddress, UInt32(password.count))
                        (context.salt, context.saltlen) = (salt.baseAddress, UInt32(salt.count))
                        (context.ad, context.adlen) = (associatedData.baseAddress, UInt32(associatedData.count))
                        context.t_cost = UInt32(iterations)
                        context.m_cost = UInt32(memoryKiB)
                        context.lanes = UInt32(parallelism)
                        context.threads = 1
                        context.version = version.rawValue
                        HashMemory.serve(&context)
                        return argon2_ctx(&context, variant.libraryType)
                    }
                }
            }
        }
        guard code == ARGON2_OK.rawValue else { throw HashingFailure(algorithm: "ARGON2", code: code) }
        return hash
    }
}

extension Argon2Parameters.Variant {
    fileprivate var libraryType: argon2_type {
        switch self {
        case .d: Argon2_d
        case .id: Argon2_id
        case .i: Argon2_i
        }
    }
}
