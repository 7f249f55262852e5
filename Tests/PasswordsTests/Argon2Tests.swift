import Project
import Testing

@testable import Passwords

@Suite("Argon2")
struct Argon2Tests {
    private static func parameters(
        _ variant: String,
        version: JSONValue = "VERSION_13",
        memory: Int64 = 256,
        iterations: Int64 = 2,
        lanes: Int64 = 1,
        data: String? = nil
    ) -> JSONValue {
        var members: JSONValue = [
            "hashLengthBytes": 32, "hashType": .string(variant), "version": version, "memoryCostKib": .integer(memory),
            "iterations": .integer(iterations), "parallelism": .integer(lanes),
        ]
        if let data { members["associatedData"] = .string(data) }
        return ["hashAlgorithm": "ARGON2", "argon2Parameters": members]
    }

    @Test(
        "verifies the vectors of the reference implementation, in each variant and version",
        arguments: [
            (parameters("ARGON2_I", version: "VERSION_10"), "fd4dd83d762c49bdeaf57c47bdcd0c2f1babf863fdeb490df63ede9975fccf06"),
            (parameters("ARGON2_I"), "89e9029f4637b295beb027056a7336c414fadd43f6b208645281cb214a56452f"),
            (parameters("ARGON2_D"), "25c4ee8ba448054b49efc804e478b9d823be1f9bd2e99f51d6ec4007a3a1501f"),
            (parameters("ARGON2_ID"), "9dfeb910e80bad0311fee20f9c0e2b12c17987b4cac90c2ef54d5b3021c68bfe"),
            (parameters("ARGON2_ID", lanes: 2), "6d093c501fd5999645e0ea3bf620d7b8be7fd2db59c20d9fff9539da2bf57037"),
        ] as [(JSONValue, String)]
    )
    func reference(parameters: JSONValue, hash: String) throws {
        try expectOnly("password", matches: stored(parameters, salt: "somesalt", hash: hash))
    }

    // Computed with OpenSSL, which shares no code with libargon2.
    @Test(
        "agrees with another implementation on associated data and several lanes",
        arguments: [
            ("ARGON2_ID", "71812f5fe744463aa8a853fdeb8004c5e064be45b35e7a5b180f3552ad46216f"),
            ("ARGON2_D", "b257aa38a4fed04a9eb27948cbc738414d41a87fdcf43fe8affdf3b66f98252c"),
            ("ARGON2_I", "6cfb77b0e409052b756fe0a0ea749c8a8f82e973f3d39556d56b304bad37505f"),
        ]
    )
    func associatedData(variant: String, hash: String) throws {
        let parameters = Self.parameters(variant, memory: 128, iterations: 3, lanes: 4, data: "Y2xpZW50IDc=")
        try expectOnly("password", matches: stored(parameters, salt: "somesalt", hash: hash))
        let other = Self.parameters(variant, memory: 128, iterations: 3, lanes: 4, data: "Y2xpZW50IDg=")
        #expect(try !stored(other, salt: "somesalt", hash: hash).matches(Array("password".utf8)))
    }

    @Test("hashes new passwords with OWASP's parameters")
    func defaultParameters() throws {
        let hash = try Argon2Parameters.owasp.derive(Array("password".utf8), salt: Array("saltsaltsaltsalt".utf8))
        #expect(hexadecimal(hash) == "4fde6aed2db4e6d7fd588e078583990c842630c01b9ed69c1974c892ed205d3f")
    }

    @Test("reads what the Java SDK sends: parameters beside the name, the version's value, signed bytes")
    func javaSDK() throws {
        let flat: JSONValue = [
            "hashAlgorithm": "ARGON2", "hashLengthBytes": 32, "hashType": "ARGON2_ID", "parallelism": 1, "iterations": 2,
            "memoryCostKib": 256, "version": 19, "associatedData": [-1, 0, 127],
        ]
        let nested = Self.parameters("ARGON2_ID", data: "/wB/")
        #expect(try PasswordAlgorithm(importing: flat) == PasswordAlgorithm(importing: nested))
    }

    @Test("reads version and variant by name and index, and takes version 1.3 when none is given")
    func versions() throws {
        let named = try PasswordAlgorithm(importing: Self.parameters("ARGON2_ID"))
        for version in [2, "2", 19, 0, .null] as [JSONValue] {
            #expect(try PasswordAlgorithm(importing: Self.parameters("ARGON2_ID", version: version)) == named)
        }
        let old = try PasswordAlgorithm(importing: Self.parameters("ARGON2_ID", version: "VERSION_10"))
        for version in [1, 16] as [JSONValue] {
            #expect(try PasswordAlgorithm(importing: Self.parameters("ARGON2_ID", version: version)) == old)
        }
    }

    @Test(
        "refuses parameters out of the contract's ranges",
        arguments: [
            (parameters("ARGON2_X"), .invalidHashAlgorithm), (parameters("HASH_TYPE_UNSPECIFIED"), .invalidHashAlgorithm),
            (parameters("ARGON2_ID", version: "VERSION_12"), .invalidHashAlgorithm),
            (parameters("ARGON2_ID", memory: 32_769), .invalidHashMemoryCost),
            (parameters("ARGON2_ID", memory: 67_108_864), .invalidHashMemoryCost),
            (parameters("ARGON2_ID", memory: 0), .invalidHashMemoryCost),
            (parameters("ARGON2_ID", memory: 31, lanes: 4), .invalidHashMemoryCost),
            (parameters("ARGON2_ID", iterations: 0), .invalidHashRounds),
            (parameters("ARGON2_ID", iterations: 17), .invalidHashRounds),
            (parameters("ARGON2_ID", lanes: 0), .invalidHashParallelization),
            (parameters("ARGON2_ID", lanes: 17), .invalidHashParallelization),
            (parameters("ARGON2_ID", data: "?"), .invalidHashKey),
        ] as [(JSONValue, ErrorCode)]
    )
    func ranges(parameters: JSONValue, code: ErrorCode) {
        #expect(refusal(of: parameters) == code)
    }

    @Test("refuses hash lengths out of range", arguments: [0, 3, 1025])
    func hashLength(length: Int64) {
        var parameters = Self.parameters("ARGON2_ID")
        parameters["argon2Parameters"]?["hashLengthBytes"] = .integer(length)
        #expect(refusal(of: parameters) == .invalidHashDerivedKeyLength)
    }

    @Test("takes no record whose salt is too short or whose hash has another length")
    func misfits() throws {
        let algorithm = try PasswordAlgorithm(importing: Self.parameters("ARGON2_ID"))
        let hash = [UInt8](repeating: 1, count: 32)
        #expect(StoredPassword(algorithm: algorithm, salt: Array("1234567".utf8), hash: hash) == nil)
        #expect(StoredPassword(algorithm: algorithm, salt: Array("12345678".utf8), hash: hash) != nil)
        #expect(StoredPassword(algorithm: algorithm, salt: Array("12345678".utf8), hash: hash + [1]) == nil)
        #expect(StoredPassword(algorithm: algorithm, salt: Array("12345678".utf8), hash: []) == nil)
    }

    @Test("takes no setting of the server's own out of range")
    func configured() {
        #expect(Argon2Parameters(memoryKiB: 19_456, iterations: 2, parallelism: 1) == .owasp)
        #expect(Argon2Parameters(memoryKiB: 262_144, iterations: 16, parallelism: 16) != nil)
        for (memory, iterations, lanes) in [
            (7, 1, 1), (262_145, 1, 1), (64, 0, 1), (64, 17, 1), (64, 1, 0), (64, 1, 17), (15, 1, 2),
        ] {
            #expect(Argon2Parameters(memoryKiB: memory, iterations: iterations, parallelism: lanes) == nil)
        }
    }
}
