/// Checks that a signature is of the one form that SAML has (SAML core §5.4), before any of it is computed.
///
/// The library is told the allowed algorithms as well. This check names what is wrong, and refuses what the library would not look at.
struct SignatureForm {
    let acceptsSHA1: Bool

    func check(_ signature: XMLElement) throws {
        let parts = signature.children
        guard parts.count == 2 || parts.count == 3, Self.is(parts[0], "SignedInfo"), Self.is(parts[1], "SignatureValue"),
            parts.count == 2 || Self.is(parts[2], "KeyInfo"), parts[1].text != nil
        else { throw SAMLRefusal.signatureForm }
        let info = parts[0].children
        guard info.count == 3, Self.is(info[0], "CanonicalizationMethod"), Self.is(info[1], "SignatureMethod"),
            Self.is(info[2], "Reference")
        else { throw SAMLRefusal.signatureForm }
        try checkExclusive(info[0], orThrow: .canonicalization)
        try check(info[1], among: XMLAlgorithm.signatures, sha1: XMLAlgorithm.signaturesWithSHA1, orThrow: .signatureAlgorithm)
        try checkReference(info[2], to: signature.parent)
    }

    private func checkReference(_ reference: XMLElement, to target: XMLElement?) throws {
        let parts = reference.children
        guard parts.count == 3, Self.is(parts[0], "Transforms"), Self.is(parts[1], "DigestMethod"),
            Self.is(parts[2], "DigestValue"),
            parts[2].text != nil
        else { throw SAMLRefusal.signatureForm }
        guard let uri = reference.attribute("URI"), let id = target?.attribute("ID"), uri.isExactly("#" + id) else {
            throw SAMLRefusal.reference
        }
        let transforms = parts[0].children
        guard transforms.count == 2, Self.is(transforms[0], "Transform"), Self.is(transforms[1], "Transform"),
            transforms[0].attribute("Algorithm")?.isExactly(XMLAlgorithm.enveloped) == true, transforms[0].children.isEmpty
        else { throw SAMLRefusal.transforms }
        try checkExclusive(transforms[1], orThrow: .transforms)
        try check(parts[1], among: XMLAlgorithm.digests, sha1: [XMLAlgorithm.sha1], orThrow: .digestAlgorithm)
    }

    // The list of prefixes changes which declarations are signed with the rest, and nothing that is read. Providers list prefixes that
    // they do not declare.
    private func checkExclusive(_ method: XMLElement, orThrow refusal: SAMLRefusal) throws {
        guard method.attribute("Algorithm")?.isExactly(XMLAlgorithm.exclusive) == true, method.children.count <= 1,
            method.children.allSatisfy({ $0.is("InclusiveNamespaces", in: XMLNamespace.exclusive) && $0.children.isEmpty })
        else { throw refusal }
    }

    private func check(_ method: XMLElement, among allowed: Set<String>, sha1: Set<String>, orThrow refusal: SAMLRefusal) throws {
        // An algorithm with parameters, such as the length of an HMAC, is none of those allowed.
        guard let algorithm = method.attribute("Algorithm"), method.children.isEmpty else { throw refusal }
        if sha1.contains(where: algorithm.isExactly) {
            guard acceptsSHA1 else { throw SAMLRefusal.sha1 }
        } else if !allowed.contains(where: algorithm.isExactly) {
            throw refusal
        }
    }

    private static func `is`(_ element: XMLElement, _ name: String) -> Bool { element.is(name, in: XMLNamespace.signature) }
}
