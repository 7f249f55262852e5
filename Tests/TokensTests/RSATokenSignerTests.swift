import Crypto
import CryptoExtras
import Foundation
import Testing

@testable import Tokens

@Suite("The signer of tokens")
struct RSATokenSignerTests {
    @Test("another library verifies what it signs, from many threads at once")
    func signatures() async throws {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let signer = try RSATokenSigner(privateKey: key.pkcs8DERRepresentation)
        #expect(RSATokenSigner.algorithm == "RS256")
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for length in [0, 1, 700, 100_000] + Array(repeating: 64, count: 60) {
                group.addTask {
                    let input = [UInt8](repeating: UInt8(length % 251), count: length)
                    let signature = _RSA.Signing.RSASignature(rawRepresentation: Data(try signer.sign(input)))
                    let digest = SHA256.hash(data: input)
                    return key.publicKey.isValidSignature(signature, for: digest, padding: .insecurePKCS1v1_5)
                }
            }
            for try await isValid in group { #expect(isValid) }
        }
    }

    @Test("takes RSA keys alone")
    func keys() throws {
        let curve = P256.Signing.PrivateKey().derRepresentation
        let rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048).pkcs8DERRepresentation
        for wrong in [Data(), Data([0x30]), Data("no key".utf8), Data(rsa.prefix(200)), curve] {
            #expect(throws: RSATokenSigner.UnusableKey.self) { try RSATokenSigner(privateKey: wrong) }
        }
    }
}
