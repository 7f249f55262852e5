import CSAML

/// Signs a request that is posted (SAML core §5.4).
struct RequestSignature {
    let key: String
    let certificate: String

    /// - Parameter document: A request whose first element is its issuer.
    func sign(_ document: [UInt8]) throws -> [UInt8] {
        guard let parsed = try? XMLDocument(document, within: .response), let root = try? parsed.root,
            let issuer = root.children.first
        else { throw SAMLRequestError.library }
        let key = Array(key.utf8)
        let certificate = Array(certificate.utf8)
        switch csaml_sign(root.node, issuer.node, key, key.count, certificate, certificate.count) {
        case CSAML_OK: break
        case CSAML_KEY: throw SAMLRequestError.key
        default: throw SAMLRequestError.library
        }
        var bytes: UnsafeMutablePointer<xmlChar>?
        var count: Int32 = 0
        xmlDocDumpMemoryEnc(parsed.pointer, &bytes, &count, "UTF-8")
        guard let bytes else { throw SAMLRequestError.library }
        defer { csaml_free_text(bytes) }
        return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
    }
}
