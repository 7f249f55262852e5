import SwiftASN1
import X509

/// X.509 certificates as configuration holds them.
package enum CertificateText {
    private static let maximumLength = 16 * 1024

    /// Whether a text is one certificate in PEM (RFC 7468 §5), of a key that cannot be computed from it.
    package static func isCertificate(_ pem: String) -> Bool {
        guard pem.utf8.count <= maximumLength, let certificate = try? Certificate(pemEncoded: pem) else { return false }
        return !RSAModulus.isOfWeakGenerator(certificate)
    }
}
