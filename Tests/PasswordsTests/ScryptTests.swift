import Project
import Testing

@testable import Passwords

@Suite("Standard scrypt")
struct StandardScryptTests {
    private static func parameters(_ cost: Int64, _ blockSize: Int64, _ parallelization: Int64, _ length: Int64) -> JSONValue {
        [
            "hashAlgorithm": "STANDARD_SCRYPT", "cpuMemCost": .integer(cost), "blockSize": .integer(blockSize),
            "parallelization": .integer(parallelization), "dkLen": .integer(length),
        ]
    }

    // RFC 7914 §12. Its fourth vector takes 1 GiB, which imports may not.
    @Test(
        "verifies the vectors of RFC 7914",
        arguments: [
            (
                "", "", parameters(16, 1, 1, 64),
                "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
                    + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"
            ),
            (
                "password", "NaCl", parameters(1024, 8, 16, 64),
                "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
                    + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
            ),
            (
                "pleaseletmein", "SodiumChloride", parameters(16_384, 8, 1, 64),
                "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
                    + "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"
            ),
        ] as [(String, String, JSONValue, String)]
    )
    func rfc7914(password: String, salt: String, parameters: JSONValue, hash: String) throws {
        let stored = try stored(parameters, salt: salt, hash: hash)
        #expect(try stored.matches(Array(password.utf8)))
        #expect(try !stored.matches(Array((password + "x").utf8)))
    }

    @Test("verifies with the largest block size that is taken")
    func largestBlocks() throws {
        let hash = "755935a31e05fb8d47ad9e1917aa13333cb6721266ee54a638b62529c42bec40"
        try expectOnly("password", matches: stored(Self.parameters(1024, 16, 1, 32), salt: "NaCl", hash: hash))
    }

    @Test("reads the cost under the Java SDK's name too")
    func javaSDK() throws {
        var parameters = Self.parameters(1024, 8, 16, 64)
        parameters["cpuMemCost"] = nil
        parameters["memoryCost"] = "1024"
        #expect(try PasswordAlgorithm(importing: parameters) == PasswordAlgorithm(importing: Self.parameters(1024, 8, 16, 64)))
    }

    @Test(
        "refuses what is no scrypt and what costs too much",
        arguments: [
            (parameters(0, 8, 1, 64), .invalidHashMemoryCost), (parameters(1, 8, 1, 64), .invalidHashMemoryCost),
            (parameters(1000, 8, 1, 64), .invalidHashMemoryCost), (parameters(1 << 30, 8, 1, 64), .invalidHashMemoryCost),
            (parameters(1 << 18, 8, 1, 64), .invalidHashMemoryCost), (parameters(1 << 16, 1, 1, 64), .invalidHashMemoryCost),
            (parameters(.max, 8, 1, 64), .invalidHashMemoryCost), (parameters(-1024, 8, 1, 64), .invalidHashMemoryCost),
            (parameters(1024, 0, 1, 64), .invalidHashBlockSize), (parameters(1024, 1_000_000, 1, 64), .invalidHashBlockSize),
            (parameters(1024, 8, 0, 64), .invalidHashParallelization), (parameters(1024, 8, 65, 64), .invalidHashParallelization),
            (parameters(1 << 17, 8, 3, 64), .invalidHashParallelization),
            (parameters(1024, 8, 1, 3), .invalidHashDerivedKeyLength),
            (parameters(1024, 8, 1, 1025), .invalidHashDerivedKeyLength),
        ] as [(JSONValue, ErrorCode)]
    )
    func ranges(parameters: JSONValue, code: ErrorCode) {
        #expect(refusal(of: parameters) == code)
    }

    @Test("takes OWASP's strongest proposal", arguments: [(1 << 17, 8, 1), (1 << 16, 8, 2), (1 << 15, 8, 3), (1 << 13, 8, 10)])
    func strong(cost: Int64, blockSize: Int64, parallelization: Int64) {
        #expect(refusal(of: Self.parameters(cost, blockSize, parallelization, 64)) == nil)
    }
}

@Suite("Firebase's scrypt")
struct FirebaseScryptTests {
    private static let key = "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="

    private static func parameters(key: JSONValue = .string(key), rounds: JSONValue = 8, memory: JSONValue = 14) -> JSONValue {
        ["hashAlgorithm": "SCRYPT", "signerKey": key, "saltSeparator": "Bw==", "rounds": rounds, "memoryCost": memory]
    }

    @Test(
        "verifies the contract's vectors",
        arguments: [
            (
                "user1password", "42xEC+ixf3L2lw==",
                "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="
            ),
            (
                "password", "TmFDbA==",
                "V358E8LdWJXAO7muq0CufVpEOXaj8aFiC7T/rcaGieN04q/ZPJ08WhJEHGjj9lz/2TT+/86N5VjVoc5DdBhBiw=="
            ),
        ]
    )
    func vectors(password: String, salt: String, hash: String) throws {
        let salt = try #require(WireBase64.decode(salt))
        let hash = try #require(WireBase64.decode(hash))
        let stored = try imported(Self.parameters(), salt: salt, hash: hash)
        #expect(try stored.matches(Array(password.utf8)))
        #expect(try !stored.matches(Array((password + "x").utf8)))
        var other = Self.parameters()
        other["saltSeparator"] = ""
        #expect(try !imported(other, salt: salt, hash: hash).matches(Array(password.utf8)))
    }

    @Test("reads numbers as text, names in snake case, and either alphabet")
    func spellings() throws {
        let plain = try PasswordAlgorithm(importing: Self.parameters())
        let snake: JSONValue = [
            "hash_algorithm": "SCRYPT", "signer_key": .string(Self.key), "salt_separator": "Bw", "rounds": "8",
            "memory_cost": "14",
        ]
        // All SDKs spell this algorithm's name the same way, but one reader reads all algorithms.
        #expect(try PasswordAlgorithm(importing: snake) == plain)
        let urlSafe = Self.key.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        #expect(try PasswordAlgorithm(importing: Self.parameters(key: .string(urlSafe), rounds: "8", memory: "14")) == plain)
    }

    @Test("takes no separator as an empty one")
    func noSeparator() throws {
        var (absent, empty) = (Self.parameters(), Self.parameters())
        absent["saltSeparator"] = .null
        empty["saltSeparator"] = ""
        #expect(try PasswordAlgorithm(importing: absent) == PasswordAlgorithm(importing: empty))
    }

    @Test(
        "refuses parameters out of the contract's ranges",
        arguments: [
            (parameters(rounds: 0), .invalidHashRounds), (parameters(rounds: 9), .invalidHashRounds),
            (parameters(rounds: "8.0"), .invalidHashRounds), (parameters(rounds: true), .invalidHashRounds),
            (parameters(rounds: .null), .invalidHashRounds), (parameters(memory: 0), .invalidHashMemoryCost),
            (parameters(memory: 15), .invalidHashMemoryCost), (parameters(memory: 1.5), .invalidHashMemoryCost),
            (parameters(key: ""), .invalidHashKey), (parameters(key: .null), .invalidHashKey),
            (parameters(key: "no base64!"), .invalidHashKey), (parameters(key: 7), .invalidHashKey),
            (parameters(key: .string(String(repeating: "A", count: 1400))), .invalidHashKey),
        ] as [(JSONValue, ErrorCode)]
    )
    func ranges(parameters: JSONValue, code: ErrorCode) {
        #expect(refusal(of: parameters) == code)
    }

    @Test("refuses a separator that is no base64")
    func badSeparator() {
        var parameters = Self.parameters()
        parameters["saltSeparator"] = "*"
        #expect(refusal(of: parameters) == .invalidHashSaltSeparator)
    }
}
