import Foundation
import Project
import TestKit
import Testing

@testable import UserFiles

@Suite("Parameters of hashes in a text")
struct HashConfigTests {
    @Test("are read from Firebase's block and from JSON")
    func forms() {
        let expected: JSONObject = [
            "hashAlgorithm": "SCRYPT", "signerKey": "jxspr8==", "saltSeparator": "Bw==", "rounds": "8", "memoryCost": "14",
        ]
        let block = """
            hash_config {
              algorithm: SCRYPT,
              base64_signer_key: jxspr8==,
              base64_salt_separator: Bw==,
              rounds: 8,
              mem_cost: 14,
            }
            """
        #expect(HashConfig.parse(block) == expected)
        let line =
            "hash_config{algorithm : SCRYPT base64_signer_key=\"jxspr8==\",base64_salt_separator:Bw==, rounds=8;mem_cost: 14}"
        #expect(HashConfig.parse(line.replacing(";", with: ",")) == expected)
        #expect(HashConfig.parse("{\"hash_config\": {\"algorithm\": \"SCRYPT\"}}") == ["hashAlgorithm": "SCRYPT"])
        for text in ["", "-", "hash_config {}", "a b c", "=x", "a:", String(repeating: "a", count: 65) + ":1"] {
            #expect(HashConfig.parse(text).isEmpty, "\(text)")
        }
    }

    @Test("cost one look at each byte (RES-01)", .timeLimit(.minutes(1)))
    func hostile() {
        for text in ["a", "a:", "a ", "a:\"", "_=", "a:\n"] {
            let clock = ContinuousClock()
            let time = clock.measure { _ = HashConfig.parse(String(repeating: text, count: 256 * 1024 / text.utf8.count)) }
            #expect(time < .seconds(20), "\(text)")
        }
    }
}
