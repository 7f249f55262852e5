import Project
import Testing

@testable import Passwords

private let abc = [
    "MD5": "900150983cd24fb0d6963f7d28e17f72",
    "SHA1": "a9993e364706816aba3e25717850c26c9cd0d89d",
    "SHA256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    "SHA512": "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
]

@Suite("Plain digests")
struct DigestTests {
    @Test("verify the \"abc\" of RFC 1321 and FIPS 180-4, salt first unless told otherwise", arguments: abc)
    func orders(name: String, hash: String) throws {
        for order in [nil, "UNSPECIFIED_ORDER", "SALT_AND_PASSWORD", 0, 1, "1"] as [JSONValue?] {
            var parameters: JSONValue = ["hashAlgorithm": .string(name), "rounds": 1]
            parameters["passwordHashOrder"] = order
            try expectOnly("bc", matches: stored(parameters, salt: "a", hash: hash))
        }
        for order in ["PASSWORD_AND_SALT", 2] as [JSONValue] {
            let parameters: JSONValue = ["hashAlgorithm": .string(name), "rounds": 1, "passwordHashOrder": order]
            try expectOnly("ab", matches: stored(parameters, salt: "c", hash: hash))
            #expect(try !stored(parameters, salt: "a", hash: hash).matches(Array("bc".utf8)))
        }
    }

    @Test("accept the hexadecimal text of a hash in place of its bytes, in either case", arguments: abc)
    func hexadecimalText(name: String, hash: String) throws {
        let parameters: JSONValue = ["hashAlgorithm": .string(name), "rounds": 1]
        for text in [hash, hash.uppercased()] {
            try expectOnly("bc", matches: imported(parameters, salt: Array("a".utf8), hash: Array(text.utf8)))
        }
        let unlike = "g" + hash.dropFirst()
        let algorithm = try PasswordAlgorithm(importing: parameters)
        #expect(StoredPassword(algorithm: algorithm, salt: [], hash: Array(unlike.utf8)) == nil)
    }

    // The fixtures of the Admin SDKs: password "password", salt "NaCl".
    @Test(
        "hash the digest again in further rounds; MD5 takes no rounds as one",
        arguments: [
            ("MD5", 0, "62d19f7e7ddcb5946728776d25e410ed"), ("MD5", 1, "62d19f7e7ddcb5946728776d25e410ed"),
            ("MD5", 5, "1bbc197fff78f820c30f0103e6ba4de9"), ("SHA1", 1, "e329d4054aff39056c09041993fe859a861d272f"),
            ("SHA1", 5, "f77a2effc2810f851f678b60095bf52be92cabb5"),
            ("SHA256", 1, "b20ab74aa2549f7e13a0e886cb4471cc2e70fcd2ce8075c0ee6483abba6132f3"),
            ("SHA256", 5, "2e3a329bf188852d7e0f63df774b1b443e2236c1306a8a0d1ca272582fd8fd78"),
        ] as [(String, Int64, String)]
    )
    func rounds(name: String, rounds: Int64, hash: String) throws {
        let parameters: JSONValue = ["hashAlgorithm": .string(name), "rounds": .integer(rounds)]
        try expectOnly("password", matches: stored(parameters, salt: "NaCl", hash: hash))
    }

    @Test("refuse rounds out of the contract's ranges", arguments: ["MD5", "SHA1", "SHA256", "SHA512"])
    func ranges(name: String) {
        for rounds in [-1, 8193] as [JSONValue] {
            #expect(refusal(of: ["hashAlgorithm": .string(name), "rounds": rounds]) == .invalidHashRounds)
        }
        let allowsNone: ErrorCode? = name == "MD5" ? nil : .invalidHashRounds
        #expect(refusal(of: ["hashAlgorithm": .string(name), "rounds": 0]) == allowsNone)
        #expect(refusal(of: ["hashAlgorithm": .string(name)]) == allowsNone)
        #expect(refusal(of: ["hashAlgorithm": .string(name), "rounds": 8192]) == nil)
    }

    @Test("refuse an unknown order", arguments: ["SALT", 3, -1, true] as [JSONValue])
    func unknownOrder(order: JSONValue) {
        let parameters: JSONValue = ["hashAlgorithm": "SHA1", "rounds": 1, "passwordHashOrder": order]
        #expect(refusal(of: parameters) == .invalidHashAlgorithm)
    }
}

@Suite("HMAC")
struct HMACTests {
    // Key "Jefe", data "what do ya want for nothing?".
    @Test(
        "verifies the vectors of RFC 2202 and RFC 4231, password first unless told otherwise",
        arguments: [
            ("HMAC_MD5", "750c783e6ab0b503eaa86e310a5db738"), ("HMAC_SHA1", "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
            ("HMAC_SHA256", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
            (
                "HMAC_SHA512",
                "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
                    + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
            ),
        ]
    )
    func vectors(name: String, hash: String) throws {
        for order in [nil, "PASSWORD_AND_SALT", 2] as [JSONValue?] {
            var parameters: JSONValue = ["hashAlgorithm": .string(name), "signerKey": "SmVmZQ=="]
            parameters["passwordHashOrder"] = order
            try expectOnly("what do ya want ", matches: stored(parameters, salt: "for nothing?", hash: hash))
        }
        let saltFirst: JSONValue = [
            "hashAlgorithm": .string(name), "signerKey": "SmVmZQ", "passwordHashOrder": "SALT_AND_PASSWORD",
        ]
        try expectOnly("for nothing?", matches: stored(saltFirst, salt: "what do ya want ", hash: hash))
    }

    @Test("needs a key", arguments: ["HMAC_MD5", "HMAC_SHA1", "HMAC_SHA256", "HMAC_SHA512"])
    func key(name: String) {
        #expect(refusal(of: ["hashAlgorithm": .string(name)]) == .invalidHashKey)
        #expect(refusal(of: ["hashAlgorithm": .string(name), "signerKey": ""]) == .invalidHashKey)
        #expect(refusal(of: ["hashAlgorithm": .string(name), "signerKey": "a"]) == .invalidHashKey)
    }

    @Test("takes no hash of another length")
    func misfits() throws {
        let algorithm = try PasswordAlgorithm(importing: ["hashAlgorithm": "HMAC_SHA256", "signerKey": "AAAA"])
        for length in [0, 31, 33, 64] {
            #expect(StoredPassword(algorithm: algorithm, salt: [], hash: [UInt8](repeating: 0, count: length)) == nil)
        }
    }
}
