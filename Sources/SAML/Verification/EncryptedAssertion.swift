import CSAML

/// Opens an encrypted assertion with a key of this service provider (SAML core §2.3.4).
///
/// Encryption proves nothing: anybody has the certificate. What comes out is as hostile as the response, and is parsed and verified alike.
struct EncryptedAssertion {
    /// PEM, the current one first.
    let keys: [String]

    /// - Throws: It does not tell which step of decrypting failed, since that would help to guess the key.
    func document(in element: XMLElement) throws -> XMLDocument {
        guard !keys.isEmpty else { throw SAMLRefusal.unexpectedEncryption }
        let data = try checkedData(in: element)
        let key = try checkedKey(for: data, in: element)
        for pem in keys.map({ Array($0.utf8) }) {
            let (code, bytes) = takingBytes { csaml_decrypt(data.node, key.node, pem, pem.count, $0) }
            guard code != CSAML_FORM else { throw SAMLRefusal.encryptionForm }
            guard code == CSAML_OK else { continue }
            return try XMLDocument(bytes, within: .response)
        }
        throw SAMLRefusal.decryption
    }

    private func checkedData(in element: XMLElement) throws -> XMLElement {
        let data = try element.child("EncryptedData", in: XMLNamespace.encryption, orThrow: .encryptionForm)
        guard let data, Self.hasCipherValue(data) else { throw SAMLRefusal.encryptionForm }
        let method = try data.child("EncryptionMethod", in: XMLNamespace.encryption, orThrow: .encryptionForm)
        guard let algorithm = method?.attribute("Algorithm"), XMLAlgorithm.ciphers.contains(where: algorithm.isExactly) else {
            throw SAMLRefusal.contentEncryption
        }
        return data
    }

    // The encrypted key is inside of the data's KeyInfo, or beside the data.
    private func checkedKey(for data: XMLElement, in element: XMLElement) throws -> XMLElement {
        let info = try data.child("KeyInfo", in: XMLNamespace.signature, orThrow: .encryptionForm)
        let inside = info?.children("EncryptedKey", in: XMLNamespace.encryption) ?? []
        let found = inside + element.children("EncryptedKey", in: XMLNamespace.encryption)
        guard let key = found.first, found.count == 1, Self.hasCipherValue(key) else { throw SAMLRefusal.encryptionForm }
        let method = try key.child("EncryptionMethod", in: XMLNamespace.encryption, orThrow: .encryptionForm)
        guard let method, method.attribute("Algorithm")?.isExactly(XMLAlgorithm.oaep) == true else {
            throw SAMLRefusal.keyEncryption
        }
        let digestMethod = try method.child("DigestMethod", in: XMLNamespace.signature, orThrow: .encryptionForm)
        let digest = digestMethod?.attribute("Algorithm")
        guard digest == nil || digest?.isExactly(XMLAlgorithm.sha1) == true else { throw SAMLRefusal.keyEncryption }
        return key
    }

    private static func hasCipherValue(_ element: XMLElement) -> Bool {
        let data = element.children("CipherData", in: XMLNamespace.encryption)
        guard data.count == 1, data[0].children.count == 1, let value = data[0].children.first else { return false }
        return value.is("CipherValue", in: XMLNamespace.encryption) && value.text != nil
    }
}
