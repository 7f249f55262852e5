import Crypto
import CryptoExtras
import Foundation
import SwiftASN1
import X509

/// A key with a certificate that it signed itself.
package struct SAMLTestKey: Sendable {
    /// The kind of a key.
    package enum Kind: Sendable {
        case rsa
        case ec
    }

    private enum Secret: Sendable {
        case rsa(_RSA.Signing.PrivateKey)
        case ec(P256.Signing.PrivateKey)
    }

    private let secret: Secret
    /// PEM.
    package let certificate: String
    /// PKCS #8 as PEM.
    package let privateKey: String

    /// Makes a key.
    ///
    /// - Parameters:
    ///   - kind: Its kind.
    ///   - name: The subject of the certificate; several may have the same.
    ///   - validFor: How long the certificate is valid, in seconds from now on; negative for one that has expired.
    package init(_ kind: Kind = .rsa, name: String = "idp.example", validFor seconds: Double = 86_400) throws {
        let key: Certificate.PrivateKey
        switch kind {
        case .rsa:
            let made = try _RSA.Signing.PrivateKey(keySize: .bits2048)
            secret = .rsa(made)
            key = Certificate.PrivateKey(made)
            privateKey = made.pkcs8PEMRepresentation
        case .ec:
            let made = P256.Signing.PrivateKey()
            secret = .ec(made)
            key = Certificate.PrivateKey(made)
            privateKey = made.pemRepresentation
        }
        let subject = try DistinguishedName { CommonName(name) }
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: key.publicKey,
            notValidBefore: Date(timeIntervalSinceNow: min(seconds, 0) - 86_400),
            notValidAfter: Date(timeIntervalSinceNow: seconds),
            issuer: subject,
            subject: subject,
            extensions: Certificate.Extensions { Critical(BasicConstraints.notCertificateAuthority) },
            issuerPrivateKey: key
        )
        self.certificate = try certificate.serializeAsPEM().pemString
    }

    /// The certificate in Base64, as documents hold it.
    package var certificateText: String {
        certificate.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
    }

    /// Whether the key is RSA.
    package var isRSA: Bool { if case .rsa = secret { true } else { false } }

    /// Signs bytes the way the algorithm of a `SignatureMethod` does; unknown algorithms are computed like the usual one.
    package func sign(_ bytes: [UInt8], algorithm: String) throws -> [UInt8] {
        // The attack on verifiers that take the public key for a shared secret.
        if algorithm.contains("hmac") {
            return Array(HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: Data(certificate.utf8))))
        }
        switch secret {
        case .rsa(let key):
            if algorithm.hasSuffix("sha1") { return try Self.sign(Insecure.SHA1.hash(data: bytes), key) }
            if algorithm.hasSuffix("sha384") { return try Self.sign(SHA384.hash(data: bytes), key) }
            if algorithm.hasSuffix("sha512") { return try Self.sign(SHA512.hash(data: bytes), key) }
            return try Self.sign(SHA256.hash(data: bytes), key)
        case .ec(let key): return Array(try key.signature(for: SHA256.hash(data: bytes)).rawRepresentation)
        }
    }

    private static func sign(_ digest: some Digest, _ key: _RSA.Signing.PrivateKey) throws -> [UInt8] {
        Array(try key.signature(for: digest, padding: .insecurePKCS1v1_5).rawRepresentation)
    }
}
