/// Where a document has its assertion and its signatures. Every document that anything is read from has passed this, also those that
/// signed bytes were read into.
struct ResponseLayout {
    /// The response, or the assertion where that stands alone.
    let root: XMLElement
    /// The only assertion, in clear or encrypted.
    let assertion: XMLElement
    /// Whether the assertion is encrypted.
    let isEncrypted: Bool
    /// The signature of the response.
    let responseSignature: XMLElement?
    /// The signature of the assertion.
    let assertionSignature: XMLElement?

    /// Reads a response.
    init(response document: XMLDocument) throws {
        root = try document.root
        guard root.is("Response", in: XMLNamespace.protocol) else { throw SAMLRefusal.notAResponse }
        let survey = try Survey(root)
        guard survey.responses == 1 else { throw SAMLRefusal.nestedResponse }
        try Self.check(root)
        try Status.check(root)
        assertion = try survey.onlyAssertion()
        guard assertion.parent?.isSame(as: root) == true else { throw SAMLRefusal.misplacedAssertion }
        isEncrypted = assertion.is("EncryptedAssertion", in: XMLNamespace.assertion)
        if !isEncrypted { try Self.check(assertion) }
        responseSignature = try survey.signature(in: root)
        assertionSignature = isEncrypted ? nil : try survey.signature(in: assertion)
        try survey.checkPlaces([responseSignature, assertionSignature])
    }

    /// Reads an assertion that stands alone.
    init(assertion document: XMLDocument) throws {
        root = try document.root
        assertion = root
        isEncrypted = false
        responseSignature = nil
        guard root.is("Assertion", in: XMLNamespace.assertion) else { throw SAMLRefusal.decryptedContent }
        let survey = try Survey(root)
        guard survey.responses == 0 else { throw SAMLRefusal.nestedResponse }
        _ = try survey.onlyAssertion()
        try Self.check(root)
        assertionSignature = try survey.signature(in: root)
        try survey.checkPlaces([assertionSignature])
    }

    // References find elements by this attribute, which therefore holds nothing that a reference would not take as a plain name.
    private static func check(_ element: XMLElement) throws {
        guard let version = element.attribute("Version"), version.isExactly("2.0") else { throw SAMLRefusal.version }
        let isPlain: (UInt8) -> Bool = { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard let id = element.attribute("ID"), (1...256).contains(id.utf8.count), id.utf8.allSatisfy(isPlain) else {
            throw SAMLRefusal.missingID
        }
    }
}

/// All elements of a document that matter for signatures, wherever they are.
private struct Survey {
    private(set) var responses = 0
    private var assertions: [XMLElement] = []
    private var signatures: [XMLElement] = []
    // Bytes, for Swift takes some different texts for equal.
    private var ids: Set<[UInt8]> = []

    init(_ root: XMLElement) throws { try visit(root) }

    // The parser has bounded the depth.
    private mutating func visit(_ element: XMLElement) throws {
        for id in element.ids {
            guard ids.insert(Array(id.utf8)).inserted else { throw SAMLRefusal.duplicateID }
        }
        // Compared where they are: a copy of a namespace for each element would cost more than the document.
        if element.is("Response", in: XMLNamespace.protocol) {
            responses += 1
        } else if ["Assertion", "EncryptedAssertion"].contains(where: { element.is($0, in: XMLNamespace.assertion) }) {
            assertions.append(element)
        } else if element.is("Signature", in: XMLNamespace.signature) {
            signatures.append(element)
        }
        for child in element.children { try visit(child) }
    }

    func onlyAssertion() throws -> XMLElement {
        guard let first = assertions.first else { throw SAMLRefusal.noAssertion }
        guard assertions.count == 1 else { throw SAMLRefusal.severalAssertions }
        return first
    }

    func signature(in element: XMLElement) throws -> XMLElement? {
        try element.child("Signature", in: XMLNamespace.signature, orThrow: .severalSignatures)
    }

    func checkPlaces(_ known: [XMLElement?]) throws {
        for signature in signatures {
            guard known.contains(where: { $0?.isSame(as: signature) == true }) else { throw SAMLRefusal.misplacedSignature }
        }
    }
}
