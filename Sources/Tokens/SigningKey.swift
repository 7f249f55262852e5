import Crypto
import CryptoExtras
package import Foundation
package import Project
import SwiftASN1
import X509

/// An RSA key pair for signing tokens, with its public key in the forms that verifiers use.
package struct SigningKeyPair: Sendable {
    package let kid: String
    package let signer: RSATokenSigner
    /// The public key as a JWK (RFC 7517).
    package let jwk: JSONValue
    /// The public key in a self-signed certificate, PEM.
    package let certificate: String
    /// The header of the tokens that the key signs (RFC 7515 §4), written once for all of them.
    let header: [UInt8]

    /// How many years the certificate of a key is valid. Verifiers read the key from it and seldom check the dates.
    private static let certificateYears: Int64 = 10

    /// The private key of a stored pair, PKCS #8 DER.
    package static func restore(kid: String, privateKey: Data, certificate: String) throws -> SigningKeyPair {
        let key = try _RSA.Signing.PrivateKey(derRepresentation: privateKey)
        return SigningKeyPair(
            kid: kid,
            signer: try RSATokenSigner(privateKey: privateKey),
            jwk: try key.publicKey.jwk(kid: kid),
            certificate: certificate,
            header: JSONValue.object(["alg": .string(RSATokenSigner.algorithm), "kid": .string(kid), "typ": "JWT"]).canonical()
        )
    }

    /// What a new pair is for.
    package enum Use: Sendable {
        /// Signs ID tokens.
        case tokens
        /// Signs SAML requests, and decrypts what SAML providers encrypt.
        case serviceProvider

        var commonName: String {
            switch self {
            case .tokens: "securetoken.system.gserviceaccount.com"
            case .serviceProvider: "SAML service provider"
            }
        }

        var keyUsage: KeyUsage {
            switch self {
            case .tokens: KeyUsage(digitalSignature: true)
            case .serviceProvider: KeyUsage(digitalSignature: true, keyEncipherment: true)
            }
        }
    }

    /// Makes a new pair: RSA 2048.
    ///
    /// - Returns: The pair's id, private key in PKCS #8 DER and certificate in PEM.
    package static func generate(
        for use: Use = .tokens,
        _ environment: ServerEnvironment
    ) throws -> (kid: String, privateKey: Data, certificate: String) {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let kid = hexadecimal(environment.random(20))
        return (kid, key.pkcs8DERRepresentation, try certificate(for: key, use, environment))
    }

    private static func certificate(
        for key: _RSA.Signing.PrivateKey,
        _ use: Use,
        _ environment: ServerEnvironment
    ) throws -> String {
        let name = try DistinguishedName { CommonName(use.commonName) }
        let now = environment.now().seconds
        let certificate = try Certificate(
            version: .v3,
            // A leading zero bit keeps the number positive in DER.
            serialNumber: Certificate.SerialNumber(bytes: [environment.random(1)[0] & 0x7f | 1] + environment.random(15)),
            publicKey: Certificate.PublicKey(key.publicKey),
            notValidBefore: Date(timeIntervalSince1970: Double(now - 3600)),
            notValidAfter: Date(timeIntervalSince1970: Double(now + certificateYears * 31_557_600)),
            issuer: name,
            subject: name,
            signatureAlgorithm: .sha256WithRSAEncryption,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(use.keyUsage)
            },
            issuerPrivateKey: Certificate.PrivateKey(key)
        )
        return try certificate.serializeAsPEM().pemString
    }
}

extension _RSA.Signing.PublicKey {
    /// The key as a JWK that verifies RS256 alone (RFC 7517 §4, RFC 7518 §6.3.1).
    func jwk(kid: String) throws -> JSONValue {
        let primitives = try getKeyPrimitives()
        return [
            "kty": "RSA", "use": "sig", "alg": "RS256", "kid": .string(kid),
            "n": .string(Base64URL.encode(primitives.modulus)), "e": .string(Base64URL.encode(primitives.publicExponent)),
        ]
    }
}
