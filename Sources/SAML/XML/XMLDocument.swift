import CSAML

/// A document that was read within bounds, and has neither document type nor comment nor processing instruction: those of metadata are
/// left out.
///
/// A document stays on the thread that reads it.
final class XMLDocument {
    /// What a document may have.
    struct Bounds {
        /// Bytes.
        var size: Int
        /// How deep elements may lie in each other.
        var depth: UInt32
        /// Elements, attributes and declarations of namespaces together.
        var parts: UInt32
        /// Attributes and declarations of namespaces of one element.
        var attributes: UInt32
        /// Whether comments and processing instructions are left out. In what a signature covers they are refused, since its
        /// canonical form has no comments: a name that one cuts would read differently.
        var skipsRemarks: Bool

        /// A response with some thousand groups of the user has a tenth of this.
        static let response = Bounds(size: 512 * 1024, depth: 40, parts: 20_000, attributes: 64, skipsRemarks: false)
        /// Federations publish all their members in one document, which is not for us; one provider with its logos fits.
        static let metadata = Bounds(size: 1024 * 1024, depth: 40, parts: 20_000, attributes: 64, skipsRemarks: true)
    }

    let pointer: xmlDocPtr

    /// Reads a document.
    init(_ bytes: [UInt8], within bounds: Bounds) throws {
        guard csaml_prepare() == CSAML_OK else { throw SAMLRefusal.library }
        guard bytes.count <= bounds.size else { throw SAMLRefusal.tooLarge }
        // Other encodings, declared or guessed, might read differently elsewhere.
        guard !bytes.contains(0), bytes.withUnsafeBufferPointer({ String(validating: $0, as: UTF8.self) }) != nil else {
            throw SAMLRefusal.encoding
        }
        var document: xmlDocPtr?
        let limits = csaml_bounds(
            depth: bounds.depth,
            parts: bounds.parts,
            attributes: bounds.attributes,
            skips_remarks: bounds.skipsRemarks ? 1 : 0
        )
        let code = bytes.withUnsafeBufferPointer { csaml_parse($0.baseAddress, $0.count, limits, &document) }
        guard code == CSAML_OK, let document else { throw Self.refusal(code) }
        pointer = document
    }

    deinit { xmlFreeDoc(pointer) }

    /// The outermost element.
    var root: XMLElement {
        get throws {
            guard let node = xmlDocGetRootElement(pointer) else { throw SAMLRefusal.malformed }
            return XMLElement(node, of: self)
        }
    }

    private static func refusal(_ code: csaml_code) -> SAMLRefusal {
        switch code {
        case CSAML_DOCTYPE: .doctype
        case CSAML_COMMENT: .comment
        case CSAML_INSTRUCTION: .processingInstruction
        case CSAML_DEPTH: .tooDeep
        case CSAML_PARTS: .tooManyParts
        case CSAML_NAMESPACES: .namespaces
        case CSAML_LIBRARY: .library
        default: .malformed
        }
    }
}
