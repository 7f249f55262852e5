import Foundation
import JWTKit
package import Project

/// A public key that may verify tokens, with the only algorithm that it may verify them with.
///
/// The key fixes the algorithm, and the header must agree with it (RFC 8725 §3.1).
package struct VerificationKey: Sendable {
    package let keyID: String?
    package let algorithm: Algorithm
    /// The only issuer that the key signs for, if its publisher names one.
    private let issuer: String?
    private let verifier: any JWTAlgorithm

    /// The signature algorithms that Postern verifies: asymmetric ones only (RFC 7518 §3.1, RFC 8037).
    package enum Algorithm: String, Sendable, CaseIterable {
        case rs256 = "RS256"
        case rs384 = "RS384"
        case rs512 = "RS512"
        case ps256 = "PS256"
        case ps384 = "PS384"
        case ps512 = "PS512"
        case es256 = "ES256"
        case es384 = "ES384"
        case es512 = "ES512"
        case edDSA = "EdDSA"

        // The name of EdDSA with Ed25519, the only curve that Postern has keys for (RFC 9864 §2.2).
        private static let ed25519 = "Ed25519"

        /// Reads the `alg` of a header, a key or a discovery document. `Ed25519` and `EdDSA` are the same algorithm here, because
        /// the key fixes the curve.
        package init?(name: String?) {
            let name = bytesEqual(name, Self.ed25519) ? Self.edDSA.rawValue : name
            guard let algorithm = Self.allCases.first(where: { bytesEqual($0.rawValue, name) }) else { return nil }
            self = algorithm
        }
    }

    /// Whether this key signed the token with its own algorithm.
    package func verifies(_ token: CompactJWS) -> Bool {
        guard Algorithm(name: token.algorithm) == algorithm else { return false }
        return (try? verifier.verify(token.signature, signs: token.signingInput)) ?? false
    }

    /// Whether the key belongs to the token's issuer. Microsoft publishes the keys of all directories together. Each key names
    /// its issuer, with `{tenantid}` in keys that serve every directory.
    package func mayServe(_ token: CompactJWS) -> Bool {
        guard let issuer else { return true }
        let tenant = token.payload["tid"]?.string ?? ""
        return bytesEqual(token.payload["iss"]?.string, issuer.replacing("{tenantid}", with: tenant))
    }

    /// The usable signature keys of one JWK (RFC 7517 §4): one for each algorithm that it may be used with.
    ///
    /// - Returns: An empty list for keys of other kinds, for encryption keys, and for keys too weak or too large.
    package static func keys(jwk: JSONValue) async -> [VerificationKey] {
        let jwk = normalized(jwk)
        guard jwk["use"]?.string ?? "sig" == "sig" else { return [] }
        if let operations = jwk["key_ops"]?.array, !operations.contains("verify") { return [] }
        guard hasSaneParameters(jwk) else { return [] }
        var candidates = algorithms(of: jwk)
        if let announced = jwk["alg"] { candidates.removeAll { $0 != Algorithm(name: announced.string) } }
        var keys: [VerificationKey] = []
        for algorithm in candidates {
            guard let verifier = await verifier(jwk: jwk, algorithm: algorithm) else { continue }
            keys.append(
                VerificationKey(
                    keyID: jwk["kid"]?.string,
                    algorithm: algorithm,
                    issuer: jwk["issuer"]?.string,
                    verifier: verifier
                )
            )
        }
        return keys
    }

    // Some providers pad numbers, write them in the alphabet of plain base64, or number their keys. Tokens have no such freedom: they name
    // the key by a text, and their segments have one spelling.
    private static func normalized(_ jwk: JSONValue) -> JSONValue {
        var jwk = jwk
        for name in ["n", "e", "x", "y"] {
            if let text = jwk[name]?.string { jwk[name] = .string(Base64URL.respelled(text)) }
        }
        if let number = jwk["kid"]?.integer { jwk["kid"] = .string(String(number)) }
        return jwk
    }

    private static func algorithms(of jwk: JSONValue) -> [Algorithm] {
        switch (jwk["kty"]?.string, jwk["crv"]?.string) {
        case ("RSA", _): [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]
        case ("EC", "P-256"): [.es256]
        case ("EC", "P-384"): [.es384]
        case ("EC", "P-521"): [.es512]
        case ("OKP", "Ed25519"): [.edDSA]
        default: []
        }
    }

    // RSA: 2048 to 8192 bits, not of the weak generator, an odd exponent above 1. The library checks the rest (points off the
    // curve…).
    private static func hasSaneParameters(_ jwk: JSONValue) -> Bool {
        guard jwk["kty"]?.string == "RSA" else { return true }
        guard let modulus = jwk["n"]?.string.flatMap({ Base64URL.decode($0.utf8) }),
            let exponent = jwk["e"]?.string.flatMap({ Base64URL.decode($0.utf8) })
        else { return false }
        let value = exponent.drop { $0 == 0 }
        guard value.count <= 8, let last = value.last, last & 1 == 1, value.count > 1 || last > 1 else { return false }
        return (256...1024).contains(modulus.drop { $0 == 0 }.count) && !RSAModulus.isOfWeakGenerator(modulus)
    }

    private static func verifier(jwk: JSONValue, algorithm: Algorithm) async -> (any JWTAlgorithm)? {
        var members = jwk.object?.filter { ["kty", "n", "e", "crv", "x", "y"].contains($0.key) } ?? [:]
        // Each collection holds one key and algorithm. A larger collection falls back to a default key for an unknown id.
        members["kid"] = "key"
        members["alg"] = .string(algorithm.rawValue)
        guard let key = try? JSONDecoder().decode(JWK.self, from: JSONValue.object(members).serialized()) else { return nil }
        let collection = JWTKeyCollection()
        guard (try? await collection.add(jwk: key)) != nil else { return nil }
        guard let verifier = try? await collection.getKey(for: "key", alg: algorithm.rawValue) else { return nil }
        return verifier.name == algorithm.rawValue ? verifier : nil
    }
}
