package import Crypto
package import CryptoExtras
package import Foundation
package import Project

/// A key pair of a test identity provider.
package enum TestKey: Sendable {
    case rsa(kid: String, _RSA.Signing.PrivateKey)
    case p256(kid: String, P256.Signing.PrivateKey)
    case ed25519(kid: String, Curve25519.Signing.PrivateKey)

    /// A fresh RSA 2048 key.
    package static func rsa(kid: String) throws -> TestKey { .rsa(kid: kid, try _RSA.Signing.PrivateKey(keySize: .bits2048)) }

    /// A fresh P-256 key.
    package static func p256(kid: String) -> TestKey { .p256(kid: kid, P256.Signing.PrivateKey()) }

    /// A fresh Ed25519 key.
    package static func ed25519(kid: String) -> TestKey { .ed25519(kid: kid, Curve25519.Signing.PrivateKey()) }

    package var kid: String {
        switch self {
        case .rsa(let kid, _), .p256(let kid, _), .ed25519(let kid, _): kid
        }
    }

    /// `RS256`, `ES256` or `EdDSA`.
    package var algorithm: String {
        switch self {
        case .rsa: "RS256"
        case .p256: "ES256"
        case .ed25519: "EdDSA"
        }
    }

    /// The public key as a JWK.
    package var jwk: JSONValue {
        switch self {
        case .rsa(let kid, let key):
            guard let primitives = try? key.publicKey.getKeyPrimitives() else { return .null }
            return [
                "kty": "RSA", "use": "sig", "alg": "RS256", "kid": .string(kid),
                "n": .string(Base64URL.encode(primitives.modulus)), "e": .string(Base64URL.encode(primitives.publicExponent)),
            ]
        case .p256(let kid, let key):
            let point = key.publicKey.rawRepresentation
            return [
                "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": .string(kid),
                "x": .string(Base64URL.encode(point.prefix(32))), "y": .string(Base64URL.encode(point.suffix(32))),
            ]
        case .ed25519(let kid, let key):
            return [
                "kty": "OKP", "crv": "Ed25519", "use": "sig", "kid": .string(kid),
                "x": .string(Base64URL.encode(key.publicKey.rawRepresentation)),
            ]
        }
    }

    /// Signs a JWS signing input.
    package func sign(_ input: Data) throws -> Data {
        switch self {
        case .rsa(_, let key):
            try key.signature(for: SHA256.hash(data: input), padding: .insecurePKCS1v1_5).rawRepresentation
        case .p256(_, let key): try key.signature(for: input).rawRepresentation
        case .ed25519(_, let key): try key.signature(for: input)
        }
    }

    /// A signed token with any header and claims.
    package func token(claims: JSONValue, header: JSONValue = [:]) throws -> String {
        let standard: JSONValue = ["alg": .string(algorithm), "kid": .string(kid), "typ": "JWT"]
        let input = Self.segments(standard.merging(header), claims)
        return "\(input).\(Base64URL.encode(try sign(Data(input.utf8))))"
    }

    /// Header and payload of a token, encoded and joined.
    package static func segments(_ header: JSONValue, _ claims: JSONValue) -> String {
        "\(Base64URL.encode(header.serialized())).\(Base64URL.encode(claims.serialized()))"
    }
}
