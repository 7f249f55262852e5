import Project
import Testing

@testable import Passwords

@Suite("PBKDF2")
struct PBKDF2Tests {
    @Test(
        "verifies the vectors of RFC 6070 (SHA-1) and RFC 7914 (SHA-256)",
        arguments: [
            ("PBKDF_SHA1", 1, "password", "salt", "0c60c80f961f0e71f3a9b524af6012062fe037a6"),
            ("PBKDF_SHA1", 2, "password", "salt", "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"),
            ("PBKDF2_SHA1", 4096, "password", "salt", "4b007901b765489abead49d926f721d065a429c1"),
            (
                "PBKDF_SHA1", 4096, "passwordPASSWORDpassword", "saltSALTsaltSALTsaltSALTsaltSALTsalt",
                "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038"
            ),
            ("PBKDF_SHA1", 4096, "pass\0word", "sa\0lt", "56fa6aa75548099dcc37d7f03425e0c3"),
            (
                "PBKDF2_SHA256", 1, "passwd", "salt",
                "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
                    + "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783"
            ),
            (
                "PBKDF2_SHA256", 80_000, "Password", "NaCl",
                "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56"
                    + "a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d"
            ),
        ] as [(String, Int64, String, String, String)]
    )
    func vectors(name: String, rounds: Int64, password: String, salt: String, hash: String) throws {
        let parameters: JSONValue = ["hashAlgorithm": .string(name), "rounds": .integer(rounds)]
        try expectOnly(password, matches: stored(parameters, salt: salt, hash: hash))
    }

    @Test("counts no rounds as one")
    func noRounds() throws {
        let hash = "0c60c80f961f0e71f3a9b524af6012062fe037a6"
        try expectOnly("password", matches: stored(["hashAlgorithm": "PBKDF_SHA1", "rounds": 0], salt: "salt", hash: hash))
        try expectOnly("password", matches: stored(["hashAlgorithm": "PBKDF_SHA1"], salt: "salt", hash: hash))
    }

    @Test("refuses rounds out of the contract's range", arguments: [-1, 120_001, 10_000_000_000, "many", [1]] as [JSONValue])
    func ranges(rounds: JSONValue) {
        #expect(refusal(of: ["hashAlgorithm": "PBKDF2_SHA256", "rounds": rounds]) == .invalidHashRounds)
        #expect(refusal(of: ["hashAlgorithm": "PBKDF_SHA1", "rounds": rounds]) == .invalidHashRounds)
    }

    @Test("takes no hash that is empty, tiny or huge", arguments: [0, 3, 513])
    func misfits(length: Int) throws {
        let algorithm = try PasswordAlgorithm(importing: ["hashAlgorithm": "PBKDF2_SHA256", "rounds": 1])
        #expect(StoredPassword(algorithm: algorithm, salt: [], hash: [UInt8](repeating: 0, count: length)) == nil)
    }
}
