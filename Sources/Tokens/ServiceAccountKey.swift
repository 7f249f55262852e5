import Crypto
import CryptoExtras
package import Foundation
import Project
import SwiftASN1
import X509

/// The public key of a service account, which verifies the custom tokens that the account signs (`Docs/Contract/tokens.md` §4).
package struct ServiceAccountPublicKey: Sendable {
    /// Forty hexadecimal digits that are derived from the key.
    package let keyID: String
    private let jwk: JSONValue

    private static let maximumLength = 16 * 1024
    private static let maximumModulusBytes = 1024

    /// Reads a key; `nil` for anything but an RSA key of 2048 to 8192 bits, and for one of a weak generator.
    ///
    /// - Parameter pem: `PUBLIC KEY` (SubjectPublicKeyInfo, RFC 7468 §13) or `CERTIFICATE`, of which only the key is used.
    package init?(pem: String) {
        guard pem.utf8.count <= Self.maximumLength, let key = Self.key(pem) else { return nil }
        let keyID = String(hexadecimal(sha256(key.derRepresentation)).prefix(40))
        guard let primitives = try? key.getKeyPrimitives(), primitives.modulus.count <= Self.maximumModulusBytes,
            !RSAModulus.isOfWeakGenerator(primitives.modulus), let jwk = try? key.jwk(kid: keyID)
        else { return nil }
        self.keyID = keyID
        self.jwk = jwk
    }

    private static func key(_ pem: String) -> _RSA.Signing.PublicKey? {
        if pem.contains("BEGIN CERTIFICATE") {
            return (try? Certificate(pemEncoded: pem)).flatMap { _RSA.Signing.PublicKey($0.publicKey) }
        }
        return try? _RSA.Signing.PublicKey(pemRepresentation: pem)
    }

    /// The key in the form that verifies tokens: RS256 and nothing else.
    package func verificationKey() async -> VerificationKey? { await VerificationKey.keys(jwk: jwk).first }
}

/// A fresh key pair of a service account.
package struct ServiceAccountKeyPair: Sendable {
    /// The same as ``ServiceAccountPublicKey/keyID``.
    package let keyID: String
    /// SubjectPublicKeyInfo, PEM.
    package let publicKey: String
    /// PKCS #8, PEM: a secret.
    package let privateKey: String
    /// The same key, PKCS #8 DER.
    package let privateKeyDER: Data

    /// Makes a pair: RSA 2048, as Google's are.
    package init() throws {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        keyID = String(hexadecimal(sha256(key.publicKey.derRepresentation)).prefix(40))
        publicKey = Self.lines(key.publicKey.pemRepresentation)
        privateKey = Self.lines(key.pkcs8PEMRepresentation)
        privateKeyDER = key.pkcs8DERRepresentation
    }
    // Platforms end PEM texts differently. Google's end in one newline.
    private static func lines(_ pem: String) -> String { pem.trimmingCharacters(in: .newlines) + "\n" }
}
