import CSAML

/// Verifies a signature, and hands out the bytes that were digested. Nothing else of a document counts as signed.
struct SignedPart {
    let certificates: [String]
    let acceptsSHA1: Bool

    // Each certificate costs a verification of SignedInfo, and the one that fits a digest. A provider that changes its certificate has two.
    private static let mostCertificates = 10

    /// - Parameter signature: A signature, directly in what it signs.
    /// - Returns: The signed element in canonical form, without the signature.
    func bytes(under signature: XMLElement) throws -> [UInt8] {
        try SignatureForm(acceptsSHA1: acceptsSHA1).check(signature)
        var hasKey = false
        for certificate in certificates.prefix(Self.mostCertificates) {
            let pem = Array(certificate.utf8)
            let (code, bytes) = takingBytes { csaml_verify(signature.node, pem, pem.count, acceptsSHA1 ? 1 : 0, $0) }
            switch code {
            case CSAML_OK: return bytes
            case CSAML_KEY: continue
            case CSAML_LIBRARY: throw SAMLRefusal.library
            case CSAML_FORM: throw SAMLRefusal.signatureForm
            case CSAML_LONG: throw SAMLRefusal.tooLarge
            // No other key makes the digest of what this one has signed right.
            case CSAML_DIGEST: throw SAMLRefusal.signature
            default: hasKey = true
            }
        }
        throw hasKey ? SAMLRefusal.signature : .certificates
    }
}
