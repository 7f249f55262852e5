import SwiftASN1
import X509

/// X.509 certificates as configuration holds them.
package enum CertificateText {
    private static let maximumLength = 16 * 1024

    /// Whether a text is one certificate in PEM (RFC 7468 §5).
    package static func isCertificate(_ pem: String) -> Bool {
        pem.utf8.count <= maximumLength && (try? Certificate(pemEncoded: pem)) != nil
    }
}
