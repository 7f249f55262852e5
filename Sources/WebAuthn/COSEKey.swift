import Crypto
import CryptoExtras
import Foundation
import Tokens

/// The public key of a passkey (RFC 9052 §7, RFC 9053 §2): ES256 or RS256, the kinds that registrations ask for.
enum COSEKey: Sendable {
    case es256(P256.Signing.PublicKey)
    case rs256(_RSA.Signing.PublicKey)

    /// The key is of another kind, weak, or malformed.
    struct Unsupported: Error {}

    /// Labels of RFC 9052 §7.1 and RFC 9053 §7.
    private enum Label {
        static let keyType: Int64 = 1
        static let algorithm: Int64 = 3
        static let curveOrModulus: Int64 = -1
        static let xOrExponent: Int64 = -2
        static let y: Int64 = -3
    }

    /// Reads a key.
    init(_ bytes: [UInt8]) throws {
        let key = try CBOR(bytes)
        switch (key[Label.keyType], key[Label.algorithm]) {
        case (.integer(2), .integer(-7)):
            guard key.memberCount == 5, key[Label.curveOrModulus] == .integer(1), let x = key[Label.xOrExponent]?.bytes,
                let y = key[Label.y]?.bytes, x.count == 32, y.count == 32
            else { throw Unsupported() }
            self = .es256(try P256.Signing.PublicKey(x963Representation: [4] + x + y))
        case (.integer(3), .integer(-257)):
            guard key.memberCount == 4, let modulus = key[Label.curveOrModulus]?.bytes,
                let exponent = key[Label.xOrExponent]?.bytes, (256...512).contains(modulus.count), modulus[0] != 0,
                (1...4).contains(exponent.count), let last = exponent.last, last & 1 == 1, exponent.count > 1 || last > 1,
                !RSAModulus.isOfWeakGenerator(modulus)
            else { throw Unsupported() }
            self = .rs256(try _RSA.Signing.PublicKey(n: modulus, e: exponent))
        default: throw Unsupported()
        }
    }

    /// The COSE algorithm.
    var algorithm: Int64 {
        switch self {
        case .es256: -7
        case .rs256: -257
        }
    }

    /// Whether the key made a signature, in the form of WebAuthn (§6.5.5).
    func verifies(_ signature: [UInt8], of data: [UInt8]) -> Bool {
        switch self {
        case .es256(let key):
            guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: data)
        case .rs256(let key):
            let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
            return key.isValidSignature(signature, for: SHA256.hash(data: data), padding: .insecurePKCS1v1_5)
        }
    }
}
