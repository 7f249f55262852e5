import COpenSSL
import Foundation
package import Project
import SwiftASN1

/// X.509 certificates as configuration holds them, read by the system's OpenSSL. The Swift library refuses RSA keys below 2048
/// bits, which some SAML providers still have (`Docs/Contract/rulings.md` 30).
package struct CertificateText: Sendable, Hashable {
    /// Kind and size of the key, in bits.
    package enum Key: Sendable, Hashable {
        case rsa(bits: Int)
        case ellipticCurve(bits: Int)
    }

    package let key: Key
    /// The end of its validity.
    package let expiresAt: Timestamp

    /// The most bytes of a text that is read.
    package static let maximumLength = 16 * 1024

    private static let rsaBits = 1024...16_384
    private static let strongRSABits = 2048
    // Enough to agree with those who run the provider on a new one.
    private static let expiryNotice = Duration.seconds(86_400 * 30)

    /// Reads one certificate in PEM (RFC 7468 §5).
    ///
    /// - Returns: `nil` for anything else, for a key that is neither RSA of 1024 to 16384 bits nor on an elliptic curve, and for
    ///   an RSA key that can be computed from its modulus (CVE-2017-15361).
    package init?(pem: String) {
        let read = Self.reading(pem) { certificate -> (key: Key, expiresAt: Timestamp)? in
            guard let key = X509_get0_pubkey(certificate), let expiresAt = Self.expiry(of: certificate) else { return nil }
            let bits = Int(EVP_PKEY_get_bits(key))
            switch EVP_PKEY_get_base_id(key) {
            case EVP_PKEY_RSA:
                guard Self.rsaBits.contains(bits), let modulus = Self.modulus(of: key) else { return nil }
                return RSAModulus.isOfWeakGenerator(modulus) ? nil : (.rsa(bits: bits), expiresAt)
            case EVP_PKEY_EC: return (.ellipticCurve(bits: bits), expiresAt)
            default: return nil
            }
        }
        guard let read else { return nil }
        (key, expiresAt) = read
    }

    /// Whether a text is one X.509 certificate in PEM at all, whatever its key.
    package static func isCertificate(pem: String) -> Bool { reading(pem) { _ in true } ?? false }

    private static func reading<T>(_ pem: String, _ body: (OpaquePointer) -> T?) -> T? {
        guard pem.utf8.count <= maximumLength, let document = try? PEMDocument(pemString: pem),
            document.discriminator == "CERTIFICATE"
        else { return nil }
        return document.derBytes.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            guard let certificate = d2i_X509(nil, &start, bytes.count) else { return nil }
            defer { X509_free(certificate) }
            return start == bytes.baseAddress.map { $0 + bytes.count } ? body(certificate) : nil
        }
    }

    private static func expiry(of certificate: OpaquePointer) -> Timestamp? {
        var time = tm()
        guard ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &time) == 1 else { return nil }
        return Timestamp(seconds: Int64(timegm(&time)))
    }

    private static func modulus(of key: OpaquePointer) -> [UInt8]? {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(key, "n", &number) == 1, let number else { return nil }
        defer { BN_free(number) }
        return [UInt8](unsafeUninitializedCapacity: (Int(BN_num_bits(number)) + 7) / 8) { buffer, count in
            count = Int(BN_bn2bin(number, buffer.baseAddress))
        }
    }

    /// Says that the certificate has ended, or will soon.
    package func expiryWarning(at now: Timestamp) -> String? {
        if now >= expiresAt { return "It has expired at \(expiresAt.rfc3339)." }
        return now.advanced(by: Self.expiryNotice) >= expiresAt ? "It expires at \(expiresAt.rfc3339)." : nil
    }

    /// A warning for administrators about a key that can be broken with some effort; `nil` for a strong key.
    package var warning: String? {
        guard case .rsa(let bits) = key, bits < Self.strongRSABits else { return nil }
        return "The RSA key has \(bits) bits, and should have \(Self.strongRSABits) at least."
    }
}
