/// Namespaces of the documents.
enum XMLNamespace {
    static let assertion = "urn:oasis:names:tc:SAML:2.0:assertion"
    static let `protocol` = "urn:oasis:names:tc:SAML:2.0:protocol"
    static let metadata = "urn:oasis:names:tc:SAML:2.0:metadata"
    static let signature = "http://www.w3.org/2000/09/xmldsig#"
    static let encryption = "http://www.w3.org/2001/04/xmlenc#"
    static let exclusive = "http://www.w3.org/2001/10/xml-exc-c14n#"
    static let xml = "http://www.w3.org/XML/1998/namespace"
    static let instance = "http://www.w3.org/2001/XMLSchema-instance"
}

/// URIs of the algorithms that are known by name.
enum XMLAlgorithm {
    static let exclusive = XMLNamespace.exclusive
    static let enveloped = XMLNamespace.signature + "enveloped-signature"
    static let rsaSHA256 = more + "rsa-sha256"

    static let signatures: Set = [
        rsaSHA256, more + "rsa-sha384", more + "rsa-sha512", more + "ecdsa-sha256", more + "ecdsa-sha384", more + "ecdsa-sha512",
    ]
    static let digests: Set = [XMLNamespace.encryption + "sha256", more + "sha384", XMLNamespace.encryption + "sha512"]
    static let signaturesWithSHA1: Set = [XMLNamespace.signature + "rsa-sha1", more + "ecdsa-sha1"]
    static let sha1 = XMLNamespace.signature + "sha1"

    static let aes128 = gcm + "aes128-gcm"
    static let aes256 = gcm + "aes256-gcm"
    static let ciphers: Set = [aes128, gcm + "aes192-gcm", aes256]
    static let oaep = XMLNamespace.encryption + "rsa-oaep-mgf1p"

    private static let more = "http://www.w3.org/2001/04/xmldsig-more#"
    private static let gcm = "http://www.w3.org/2009/xmlenc11#"
}
