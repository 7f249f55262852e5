/// An element that is written in exclusive canonical form by code that has nothing in common with the libraries under test.
package struct SAMLTestElement: Sendable {
    /// What an element holds.
    package indirect enum Node: Sendable {
        case element(SAMLTestElement)
        case text(String)
        /// Written as it is; such a part is canonical only if it was written so.
        case raw(String)
    }

    /// With a prefix of ``namespaces``.
    package var name: String
    package var attributes: [(name: String, value: String)]
    package var nodes: [Node]

    /// The namespaces of all prefixes.
    package static let namespaces = [
        "samlp": "urn:oasis:names:tc:SAML:2.0:protocol", "saml": "urn:oasis:names:tc:SAML:2.0:assertion",
        "ds": "http://www.w3.org/2000/09/xmldsig#", "xenc": "http://www.w3.org/2001/04/xmlenc#",
        "xs": "http://www.w3.org/2001/XMLSchema", "xsi": "http://www.w3.org/2001/XMLSchema-instance",
        "ec": "http://www.w3.org/2001/10/xml-exc-c14n#", "md": "urn:oasis:names:tc:SAML:2.0:metadata",
    ]

    package init(_ name: String, _ attributes: [(name: String, value: String?)] = [], _ nodes: [Node] = []) {
        self.name = name
        self.attributes = attributes.compactMap { pair in pair.value.map { (pair.name, $0) } }
        self.nodes = nodes
    }

    package init(_ name: String, _ attributes: [(name: String, value: String?)] = [], text: String) {
        self.init(name, attributes, [.text(text)])
    }

    package init(_ name: String, _ attributes: [(name: String, value: String?)] = [], elements: [SAMLTestElement]) {
        self.init(name, attributes, elements.map(Node.element))
    }

    package subscript(attribute name: String) -> String? {
        get { attributes.first { $0.name == name }?.value }
        set {
            attributes.removeAll { $0.name == name }
            if let newValue { attributes.append((name, newValue)) }
        }
    }

    /// The place of the first element of a name.
    package func place(of name: String) -> Int? {
        nodes.firstIndex { node in
            if case .element(let element) = node { element.name == name } else { false }
        }
    }

    /// The first element of a name; setting `nil` removes it, and setting another where there is none adds it at the end.
    package subscript(name: String) -> SAMLTestElement? {
        get {
            guard let place = place(of: name), case .element(let element) = nodes[place] else { return nil }
            return element
        }
        set {
            switch (place(of: name), newValue) {
            case (let place?, let element?): nodes[place] = .element(element)
            case (let place?, nil): nodes.remove(at: place)
            case (nil, let element?): nodes.append(.element(element))
            case (nil, nil): break
            }
        }
    }

    /// The element in exclusive canonical form.
    package var canonical: String { written(in: []) }

    private func written(in declared: Set<String>) -> String {
        var declared = declared
        let own = attributes.filter { !$0.name.hasPrefix("xmlns") }
        let extra = attributes.filter { $0.name.hasPrefix("xmlns") }
        let used = ([name] + own.map(\.name)).compactMap { $0.contains(":") ? String($0.split(separator: ":")[0]) : nil }
        var declarations = extra.map { (name: $0.name, value: $0.value) }
        for prefix in Set(used) where prefix != "xml" && !declared.contains(prefix) {
            declared.insert(prefix)
            if !declarations.contains(where: { $0.name == "xmlns:\(prefix)" }) {
                declarations.append(("xmlns:\(prefix)", Self.namespaces[prefix] ?? ""))
            }
        }
        let sorted = own.sorted { Self.order($0.name) < Self.order($1.name) }
        let head = (declarations.sorted { $0.name < $1.name } + sorted).map {
            " \($0.name)=\"\(Self.escaped(attribute: $0.value))\""
        }
        return "<\(name)\(head.joined())>\(nodes.map { Self.written($0, in: declared) }.joined())</\(name)>"
    }

    private static func written(_ node: Node, in declared: Set<String>) -> String {
        switch node {
        case .element(let element): element.written(in: declared)
        case .text(let text): escaped(text: text)
        case .raw(let text): text
        }
    }

    // Attributes without a namespace come first, the others by namespace.
    private static func order(_ name: String) -> String {
        let parts = name.split(separator: ":")
        return parts.count == 1 ? "\u{1}\(name)" : "\(namespaces[String(parts[0])] ?? "")\u{1}\(parts[1])"
    }

    private static func escaped(text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;").replacing(
            "\r",
            with: "&#xD;"
        )
    }

    private static func escaped(attribute: String) -> String {
        attribute.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
            .replacing("\t", with: "&#x9;").replacing("\n", with: "&#xA;").replacing("\r", with: "&#xD;")
    }
}
