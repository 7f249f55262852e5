import Project
import Testing

@testable import Passwords

@Suite("Stored passwords")
struct StoredPasswordTests {
    private static let one = [UInt8](repeating: 1, count: 32)

    private static let records: [(JSONValue, salt: [UInt8], hash: [UInt8])] = [
        (
            [
                "hashAlgorithm": "ARGON2", "hashType": "ARGON2_I", "version": "VERSION_10", "memoryCostKib": 512, "iterations": 3,
                "parallelism": 2, "hashLengthBytes": 32, "associatedData": "AQID",
            ], one, one
        ),
        (
            ["hashAlgorithm": "SCRYPT", "signerKey": "//79AA", "saltSeparator": "Bw", "rounds": 8, "memoryCost": 14], [0, 255],
            [1, 2, 3, 4]
        ),
        (["hashAlgorithm": "STANDARD_SCRYPT", "cpuMemCost": 1024, "blockSize": 8, "parallelization": 16, "dkLen": 32], [], one),
        (["hashAlgorithm": "BCRYPT"], [], Array("$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW".utf8)),
        (["hashAlgorithm": "PBKDF_SHA1", "rounds": 7], [1], one), (["hashAlgorithm": "PBKDF2_SHA256"], [1], one),
        (["hashAlgorithm": "HMAC_SHA256", "signerKey": "c2VjcmV0", "passwordHashOrder": 1], [1], one),
        (["hashAlgorithm": "SHA256", "rounds": 3, "passwordHashOrder": 2], [1], one),
        (["hashAlgorithm": "MD5"], [1], [UInt8](repeating: 65, count: 32)),
    ]

    @Test("come back from their text as they were, for each algorithm", arguments: records.indices)
    func roundTrip(index: Int) throws {
        let (parameters, salt, hash) = Self.records[index]
        let stored = try imported(parameters, salt: salt, hash: hash)
        #expect(StoredPassword(text: stored.text) == stored)
        #expect(stored.text == StoredPassword(text: stored.text)?.text)
        #expect(!stored.text.contains(" "))
    }

    @Test("come back with the server's own setting, which may need more than an import may ask for")
    func configured() throws {
        let parameters = try #require(Argon2Parameters(memoryKiB: 47_104, iterations: 1, parallelism: 1))
        let stored = try #require(StoredPassword(algorithm: .argon2(parameters), salt: Self.one, hash: Self.one))
        #expect(StoredPassword(text: stored.text) == stored)
    }

    @Test(
        "are not read from anything else",
        arguments: [
            "", "null", "[]", "{}", "password", #"{"v":1}"#,
            #"{"hash":"AQEBAQ","hashAlgorithm":"PBKDF_SHA1","rounds":1,"salt":""}"#,
            #"{"hash":"AQEBAQ","hashAlgorithm":"PBKDF_SHA1","rounds":1,"salt":"","v":2}"#,
            #"{"hash":"AQEBAQ==","hashAlgorithm":"PBKDF_SHA1","rounds":1,"salt":"","v":1}"#,
            #"{"hash":"","hashAlgorithm":"PBKDF_SHA1","rounds":1,"salt":"","v":1}"#,
            #"{"hash":"AQEBAQ","hashAlgorithm":"PBKDF_SHA1","rounds":10000000000,"salt":"","v":1}"#,
            #"{"hash":"AQEBAQ","hashAlgorithm":"PBKDF_SHA1","rounds":1e300,"salt":"","v":1}"#,
            #"{"hash":"AQEBAQ","hashAlgorithm":"PBKDF_SHA1","rounds":1,"salt":1,"v":1}"#,
            #"{"hash":"AQEBAQ","hashAlgorithm":"PLAIN","salt":"","v":1}"#,
            #"{"hash":"AQEBAQ","hashAlgorithm":"STANDARD_SCRYPT","cpuMemCost":1073741824,"blockSize":8,"parallelization":1,"dkLen":4,"salt":"","v":1}"#,
            String(repeating: "[", count: 10_000),
            #"{"hash":"AQEBAQ","hashAlgorithm":"BCRYPT","salt":"","v":1}"#,
        ]
    )
    func hostileTexts(text: String) {
        #expect(StoredPassword(text: text) == nil)
    }

    @Test("keep no salt beyond 1 KiB, and are not read from texts beyond 16 KiB")
    func sizes() throws {
        let algorithm = try PasswordAlgorithm(importing: ["hashAlgorithm": "SHA256", "rounds": 1])
        #expect(StoredPassword(algorithm: algorithm, salt: [UInt8](repeating: 1, count: 1024), hash: Self.one) != nil)
        #expect(StoredPassword(algorithm: algorithm, salt: [UInt8](repeating: 1, count: 1025), hash: Self.one) == nil)
        let text = try imported(["hashAlgorithm": "SHA256", "rounds": 1], salt: [], hash: Self.one).text
        #expect(StoredPassword(text: text + String(repeating: " ", count: 16_384)) == nil)
    }

    @Test("are of no algorithm that the contract does not name")
    func unknownAlgorithms() {
        for name in ["SHA3", "HMAC_", "HMAC_SHA384", "hmac_sha256", "bcrypt", "PBKDF2_SHA512", "HMAC_BCRYPT"] {
            #expect(refusal(of: ["hashAlgorithm": .string(name), "signerKey": "AAAA", "rounds": 1]) == .invalidHashAlgorithm)
        }
        for request in [[:], ["hashAlgorithm": ""], ["hashAlgorithm": .null], ["hashAlgorithm": 1], [], "BCRYPT"] as [JSONValue] {
            #expect(refusal(of: request) == .missingHashAlgorithm)
        }
    }
}

@Suite("Base64 of imports")
struct WireBase64Tests {
    @Test(
        "is read in either alphabet, with or without padding",
        arguments: ["+/8=", "-_8=", "+/8", "-_8", "-/8"]
    )
    func lenient(text: String) {
        #expect(WireBase64.decode(text) == [0xfb, 0xff])
    }

    @Test("is refused when it is none", arguments: ["A", "AAAAA", "A A=", "AAA===", "AA\n", "é", "AA*=", "=AAA"])
    func strict(text: String) {
        #expect(WireBase64.decode(text) == nil)
    }

    @Test("is written URL-safe and padded, as SDKs expect a user's hash")
    func encode() {
        #expect(WireBase64.encode([0xfb, 0xff]) == "-_8=")
        #expect(WireBase64.encode([]) == "")
        #expect(WireBase64.encode(Array("REDACTED".utf8)) == "UkVEQUNURUQ=")
    }
}
