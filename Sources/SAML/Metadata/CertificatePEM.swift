import CSAML
import Foundation

/// The two forms in which documents hold certificates: PEM, and its Base64 alone.
enum CertificatePEM {
    private static let first = "-----BEGIN CERTIFICATE-----"
    private static let last = "-----END CERTIFICATE-----"
    private static let longest = 16 * 1024

    /// The PEM of a certificate that a document holds; `nil` for anything that has no usable key.
    static func pem(base64: String) -> String? {
        guard base64.utf8.count <= longest, let der = Data(base64Encoded: base64, options: .ignoreUnknownCharacters),
            !der.isEmpty
        else { return nil }
        let body = der.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        let pem = "\(first)\n\(body)\n\(last)\n"
        let bytes = Array(pem.utf8)
        guard csaml_prepare() == CSAML_OK, csaml_check_certificate(bytes, bytes.count) == CSAML_OK else { return nil }
        return pem
    }

    /// The text of an `X509Certificate`; `nil` for what is no PEM.
    static func base64(pem: String) -> String? {
        guard let start = pem.range(of: first), let end = pem.range(of: last, range: start.upperBound..<pem.endIndex),
            let der = Data(base64Encoded: String(pem[start.upperBound..<end.lowerBound]), options: .ignoreUnknownCharacters)
        else { return nil }
        return der.base64EncodedString()
    }
}
