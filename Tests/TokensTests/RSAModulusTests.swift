import CryptoExtras
import Foundation
import TestKit
import Testing
import Tokens

@Suite("An RSA modulus")
struct RSAModulusTests {
    @Test("of the weak generator is known by its remainders (CVE-2017-15361)")
    func weak() throws {
        let modulus = try WeakKey.rsa().publicKey.getKeyPrimitives().modulus
        #expect(RSAModulus.isOfWeakGenerator(modulus))
        #expect(RSAModulus.isOfWeakGenerator([0, 0] + modulus))
        // The neighbouring number belongs to another class modulo every prime.
        var neighbour = modulus
        neighbour[neighbour.count - 1] ^= 2
        #expect(!RSAModulus.isOfWeakGenerator(neighbour))
    }

    @Test("of any other key is not taken for one of those")
    func ordinary() throws {
        for size in [2048, 3072] {
            let key = try _RSA.Signing.PrivateKey(keySize: .init(bitCount: size))
            #expect(!RSAModulus.isOfWeakGenerator(try key.publicKey.getKeyPrimitives().modulus))
        }
        for _ in 0..<500 {
            let modulus = (0..<256).map { _ in UInt8.random(in: .min ... .max) }
            #expect(!RSAModulus.isOfWeakGenerator(modulus))
        }
        #expect(!RSAModulus.isOfWeakGenerator([]))
    }

    @Test("of the weak generator is refused in a certificate and as a service account's key, other keys are taken")
    func places() throws {
        for (key, isGood) in [(try WeakKey.rsa(), false), (try _RSA.Signing.PrivateKey(keySize: .bits2048), true)] {
            let certificate = try TestCertificate.pem(of: key)
            #expect((CertificateText(pem: certificate) != nil) == isGood)
            #expect((ServiceAccountPublicKey(pem: certificate) != nil) == isGood)
            #expect((ServiceAccountPublicKey(pem: key.publicKey.pemRepresentation) != nil) == isGood)
        }
    }
}
