import CSAML

/// An element of a document, which it keeps alive.
struct XMLElement {
    let node: xmlNodePtr
    let document: XMLDocument

    init(_ node: xmlNodePtr, of document: XMLDocument) {
        self.node = node
        self.document = document
    }

    /// Whether this is an element of a name in a namespace.
    func `is`(_ name: String, in namespace: String) -> Bool {
        xmlStrEqual(node.pointee.name, name) == 1 && xmlStrEqual(node.pointee.ns?.pointee.href, namespace) == 1
    }

    func isSame(as other: XMLElement) -> Bool { node == other.node }

    /// The elements in this one, in order.
    var children: [XMLElement] {
        var found: [XMLElement] = []
        var next = node.pointee.children
        while let child = next {
            if child.pointee.type == XML_ELEMENT_NODE { found.append(XMLElement(child, of: document)) }
            next = child.pointee.next
        }
        return found
    }

    /// The elements of a name in this one.
    func children(_ name: String, in namespace: String) -> [XMLElement] { children.filter { $0.is(name, in: namespace) } }

    /// The only element of a name in this one; `nil` where there is none.
    ///
    /// - Parameter refusal: Thrown when there are more.
    func child(_ name: String, in namespace: String, orThrow refusal: SAMLRefusal) throws -> XMLElement? {
        let found = children(name, in: namespace)
        guard found.count <= 1 else { throw refusal }
        return found.first
    }

    /// The element that this one is in; `nil` for the outermost.
    var parent: XMLElement? {
        guard let parent = node.pointee.parent, parent.pointee.type == XML_ELEMENT_NODE else { return nil }
        return XMLElement(parent, of: document)
    }

    /// The value of an attribute; `nil` where the element has no such attribute.
    func attribute(_ name: String, in namespace: String? = nil) -> String? {
        guard let value = xmlGetNsProp(node, name, namespace) else { return nil }
        defer { csaml_free_text(value) }
        return Self.text(value)
    }

    /// The values of the attributes that documents use as ids, in whatever spelling.
    var ids: [String] {
        ["ID", "Id", "id"].compactMap { attribute($0) } + [attribute("id", in: XMLNamespace.xml)].compactMap { $0 }
    }

    /// The text of an element that has nothing but text; `nil` where it has elements.
    var text: String? {
        var text = ""
        var next = node.pointee.children
        while let child = next {
            guard child.pointee.type == XML_TEXT_NODE, let part = Self.text(child.pointee.content) else { return nil }
            text += part
            next = child.pointee.next
        }
        return text
    }

    /// ``text`` without the white space around it, by which some providers indent their documents.
    var trimmedText: String? { text.map(Self.trim) }

    private static func trim(_ text: String) -> String {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        let bytes = text.utf8
        guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) }) else {
            return ""
        }
        return String(text[first...last])
    }

    private static func text(_ characters: UnsafePointer<xmlChar>?) -> String? {
        characters.map { String(cString: $0) }
    }

    private static func text(_ characters: UnsafeMutablePointer<xmlChar>?) -> String? {
        characters.map { String(cString: UnsafePointer($0)) }
    }
}
