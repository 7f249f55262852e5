import COpenSSL
import SwiftASN1

/// X.509 certificates as configuration holds them, read by the system's OpenSSL: the Swift library takes no RSA key below 2048 bits,
/// which providers of SAML still have (`contract/rulings.md` 30).
package struct CertificateText: Sendable, Hashable {
    /// Kind and size of the key, in bits.
    package enum Key: Sendable, Hashable {
        case rsa(bits: Int)
        case ellipticCurve(bits: Int)
    }

    package let key: Key

    private static let maximumLength = 16 * 1024
    private static let rsaBits = 1024...16_384
    private static let strongRSABits = 2048

    /// Reads one certificate in PEM (RFC 7468 §5).
    ///
    /// - Returns: `nil` for anything else, and for a key that is neither RSA of 1024 to 16384 bits nor on an elliptic curve.
    package init?(pem: String) {
        guard pem.utf8.count <= Self.maximumLength, let document = try? PEMDocument(pemString: pem),
            document.discriminator == "CERTIFICATE"
        else { return nil }
        let key = document.derBytes.withUnsafeBufferPointer { bytes -> Key? in
            var start = bytes.baseAddress
            guard let certificate = d2i_X509(nil, &start, bytes.count) else { return nil }
            defer { X509_free(certificate) }
            guard start == bytes.baseAddress.map({ $0 + bytes.count }), let key = X509_get0_pubkey(certificate) else {
                return nil
            }
            let bits = Int(EVP_PKEY_get_bits(key))
            switch EVP_PKEY_get_base_id(key) {
            case EVP_PKEY_RSA: return Self.rsaBits.contains(bits) ? .rsa(bits: bits) : nil
            case EVP_PKEY_EC: return .ellipticCurve(bits: bits)
            default: return nil
            }
        }
        guard let key else { return nil }
        self.key = key
    }

    /// What an administrator should know of a key that can be broken with some effort; `nil` for a strong one.
    package var warning: String? {
        guard case .rsa(let bits) = key, bits < Self.strongRSABits else { return nil }
        return "The RSA key has \(bits) bits, and should have \(Self.strongRSABits) at least."
    }
}
