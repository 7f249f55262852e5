import Crypto
import Foundation
package import Project

/// Signs statements about the audit trail with Ed25519 (RFC 8032, RFC 8037). The key is derived from the master key: all nodes have it,
/// the store has not, and outsiders verify with its public half.
package struct AuditSigner: Sendable {
    private let key: Curve25519.Signing.PrivateKey
    /// Public keys of master keys that are being replaced.
    private let former: [[UInt8]]
    /// The header's `kid`: the first 16 bytes of the public key's SHA-256, in hexadecimal.
    package let keyID: String

    private static let type = "postern-audit"
    // RFC 8410 §4: SubjectPublicKeyInfo of an Ed25519 key, before the key's own bytes.
    private static let publicKeyPrefix: [UInt8] = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00]

    /// - Parameter previous: `secrets.previousMasterKey`, whose statements count as well.
    package init(masterKey: MasterKey, previous: MasterKey? = nil) throws {
        key = try Self.key(of: masterKey)
        former = try previous.map { [Array(try Self.key(of: $0).publicKey.rawRepresentation)] } ?? []
        keyID = Self.id(of: Array(key.publicKey.rawRepresentation))
    }

    private static func key(of masterKey: MasterKey) throws -> Curve25519.Signing.PrivateKey {
        let seed = masterKey.derived(for: "auditSigner").withUnsafeBytes { Data($0) }
        return try Curve25519.Signing.PrivateKey(rawRepresentation: seed)
    }

    package var publicKeyPEM: String {
        let encoded = Data(Self.publicKeyPrefix + Array(key.publicKey.rawRepresentation)).base64EncodedString()
        return "-----BEGIN PUBLIC KEY-----\n\(encoded)\n-----END PUBLIC KEY-----\n"
    }

    /// The public key's bytes, as verifiers take them.
    package var publicKey: [UInt8] { Array(key.publicKey.rawRepresentation) }

    /// Reads a public key.
    ///
    /// - Returns: The key's 32 bytes; `nil` for anything else.
    package static func publicKey(pem: String) -> [UInt8]? {
        let lines = pem.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }
        guard let bytes = Data(base64Encoded: lines.joined()), bytes.starts(with: publicKeyPrefix) else { return nil }
        let key = Array(bytes.dropFirst(publicKeyPrefix.count))
        return key.count == 32 ? key : nil
    }

    /// Signs a statement.
    ///
    /// - Returns: The compact serialization (RFC 7515), `alg` `EdDSA` and `typ` `postern-audit`.
    package func sign(_ statement: JSONValue) throws -> String {
        let header: JSONValue = ["alg": "EdDSA", "kid": .string(keyID), "typ": .string(Self.type)]
        var text: [UInt8] = []
        Base64URL.append(header.canonical(), to: &text)
        text.append(UInt8(ascii: "."))
        Base64URL.append(statement.canonical(), to: &text)
        let signature = try key.signature(for: Data(text))
        text.append(UInt8(ascii: "."))
        Base64URL.append(Array(signature), to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    package func verified(_ text: String, former: [[UInt8]] = []) -> JSONValue? {
        guard let token = try? CompactJWS(text), token.algorithm == "EdDSA", token.type == Self.type else { return nil }
        let keys = [publicKey] + self.former + former
        guard let known = keys.first(where: { Self.id(of: $0) == token.keyID }),
            let key = try? Curve25519.Signing.PublicKey(rawRepresentation: Data(known)),
            key.isValidSignature(Data(token.signature), for: Data(token.signingInput))
        else { return nil }
        return token.payload
    }

    /// Whether a verified statement was signed by the present key.
    package func isOwn(_ text: String) -> Bool { (try? CompactJWS(text))?.keyID == keyID }

    private static func id(of key: [UInt8]) -> String { hexadecimal(sha256(key).prefix(16)) }
}
