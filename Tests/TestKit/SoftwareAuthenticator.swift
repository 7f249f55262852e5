package import Crypto
package import CryptoExtras
import Foundation
package import Project

/// A WebAuthn authenticator in software, with real keys, signatures and CBOR, and with false data on request.
package struct SoftwareAuthenticator: Sendable {
    /// The key of a credential.
    package enum Key: Sendable {
        case es256(P256.Signing.PrivateKey)
        case rs256(_RSA.Signing.PrivateKey)
    }

    /// The data of a ceremony. The defaults are valid.
    package struct Ceremony: Sendable {
        package var origin: String
        package var relyingPartyID: String
        package var type: String?
        package var crossOrigin: Bool?
        package var topOrigin: String?
        /// User present, user verified.
        package var flags: UInt8 = 0x05
        package var signCount: UInt32 = 0
        package var userHandle: String?
        package var rawID: String?
        /// `none` or `packed`.
        package var format = "none"
        /// Replaces the attestation object's or the key's bytes.
        package var attestationObject: [UInt8]?
        package var publicKey: [UInt8]?
        /// Damages the signature.
        package var damagesSignature = false

        package init(origin: String, relyingPartyID: String) {
            self.origin = origin
            self.relyingPartyID = relyingPartyID
        }
    }

    package let key: Key
    package let credentialID: [UInt8]

    package init(_ key: Key = .es256(P256.Signing.PrivateKey()), credentialID: [UInt8]? = nil) {
        self.key = key
        self.credentialID = credentialID ?? (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    }

    /// The credential id, base64url.
    package var id: String { Base64URL.encode(credentialID) }

    /// `authenticatorRegistrationResponse`
    ///
    /// - Parameters:
    ///   - challenge: As the server sent it, base64.
    ///   - ceremony: The data of the ceremony.
    package func register(_ challenge: String, _ ceremony: Ceremony) throws -> JSONValue {
        let client = clientData(challenge, ceremony, type: "webauthn.create")
        let length = [UInt8(credentialID.count >> 8), UInt8(credentialID.count & 255)]
        var data = header(ceremony, flags: ceremony.flags | 0x40)
        data += [UInt8](repeating: 0, count: 16) + length + credentialID + (ceremony.publicKey ?? coseKey)
        var statement = CBORText.map([])
        if ceremony.format == "packed" {
            var signature = try sign(data + Array(SHA256.hash(data: client)))
            if ceremony.damagesSignature { signature[signature.count - 1] ^= 1 }
            statement = CBORText.map([
                (CBORText.text("alg"), CBORText.integer(algorithm)), (CBORText.text("sig"), CBORText.bytes(signature)),
            ])
        }
        let object = CBORText.map([
            (CBORText.text("fmt"), CBORText.text(ceremony.format)), (CBORText.text("attStmt"), statement),
            (CBORText.text("authData"), CBORText.bytes(data)),
        ])
        return answer(
            ceremony,
            [
                "clientDataJSON": .string(Base64URL.encode(client)),
                "attestationObject": .string(Base64URL.encode(ceremony.attestationObject ?? object)),
            ]
        )
    }

    /// `authenticatorAuthenticationResponse`
    ///
    /// - Parameters:
    ///   - challenge: As the server sent it, base64.
    ///   - ceremony: The data of the ceremony.
    package func assert(_ challenge: String, _ ceremony: Ceremony) throws -> JSONValue {
        let client = clientData(challenge, ceremony, type: "webauthn.get")
        let data = header(ceremony, flags: ceremony.flags)
        var signature = try sign(data + Array(SHA256.hash(data: client)))
        if ceremony.damagesSignature { signature[signature.count - 1] ^= 1 }
        var response: JSONValue = [
            "clientDataJSON": .string(Base64URL.encode(client)), "authenticatorData": .string(Base64URL.encode(data)),
            "signature": .string(Base64URL.encode(signature)),
        ]
        response["userHandle"] = ceremony.userHandle.map { .string(Base64URL.encode(Data($0.utf8))) }
        return answer(ceremony, response)
    }

    private func answer(_ ceremony: Ceremony, _ response: JSONValue) -> JSONValue {
        ["id": .string(id), "rawId": .string(ceremony.rawID ?? id), "type": "public-key", "response": response]
    }

    private func clientData(_ challenge: String, _ ceremony: Ceremony, type: String) -> Data {
        let bytes = Data(base64Encoded: challenge) ?? Data(challenge.utf8)
        var members: JSONValue = [
            "type": .string(ceremony.type ?? type), "challenge": .string(Base64URL.encode(bytes)),
            "origin": .string(ceremony.origin),
        ]
        members["crossOrigin"] = ceremony.crossOrigin.map { .bool($0) }
        members["topOrigin"] = ceremony.topOrigin.map { .string($0) }
        return members.serialized()
    }

    private func header(_ ceremony: Ceremony, flags: UInt8) -> [UInt8] {
        let count = (0..<4).map { UInt8(truncatingIfNeeded: ceremony.signCount >> (24 - 8 * UInt32($0))) }
        return Array(SHA256.hash(data: Data(ceremony.relyingPartyID.utf8))) + [flags] + count
    }

    private func sign(_ data: [UInt8]) throws -> [UInt8] {
        switch key {
        case .es256(let key): Array(try key.signature(for: data).derRepresentation)
        case .rs256(let key):
            Array(try key.signature(for: SHA256.hash(data: data), padding: .insecurePKCS1v1_5).rawRepresentation)
        }
    }

    private var algorithm: Int {
        switch key {
        case .es256: -7
        case .rs256: -257
        }
    }

    /// The public key as a COSE_Key.
    package var coseKey: [UInt8] {
        switch key {
        case .es256(let key):
            let point = Array(key.publicKey.rawRepresentation)
            return CBORText.map([
                (CBORText.integer(1), CBORText.integer(2)), (CBORText.integer(3), CBORText.integer(-7)),
                (CBORText.integer(-1), CBORText.integer(1)), (CBORText.integer(-2), CBORText.bytes(Array(point[..<32]))),
                (CBORText.integer(-3), CBORText.bytes(Array(point[32...]))),
            ])
        case .rs256(let key):
            guard let primitives = try? key.publicKey.getKeyPrimitives() else { return [] }
            return CBORText.map([
                (CBORText.integer(1), CBORText.integer(3)), (CBORText.integer(3), CBORText.integer(-257)),
                (CBORText.integer(-1), CBORText.bytes(Array(primitives.modulus))),
                (CBORText.integer(-2), CBORText.bytes(Array(primitives.publicExponent))),
            ])
        }
    }
}

/// Writes CBOR (RFC 8949 §3), well-formed or not.
package enum CBORText {
    package static func integer(_ value: Int) -> [UInt8] { value >= 0 ? head(0, value) : head(1, -1 - value) }

    package static func bytes(_ bytes: [UInt8]) -> [UInt8] { head(2, bytes.count) + bytes }

    package static func text(_ text: String) -> [UInt8] { head(3, text.utf8.count) + Array(text.utf8) }

    package static func array(_ items: [[UInt8]]) -> [UInt8] { head(4, items.count) + items.flatMap(\.self) }

    package static func map(_ members: [([UInt8], [UInt8])]) -> [UInt8] {
        head(5, members.count) + members.flatMap { $0.0 + $0.1 }
    }

    package static func head(_ major: UInt8, _ argument: Int) -> [UInt8] {
        let length = argument < 24 ? 0 : argument < 1 << 8 ? 1 : argument < 1 << 16 ? 2 : argument < 1 << 32 ? 4 : 8
        guard length > 0 else { return [major << 5 | UInt8(argument)] }
        let information: UInt8 = length == 1 ? 24 : length == 2 ? 25 : length == 4 ? 26 : 27
        return [major << 5 | information] + (0..<length).map { UInt8(truncatingIfNeeded: argument >> (8 * (length - 1 - $0))) }
    }
}
