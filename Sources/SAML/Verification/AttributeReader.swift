import Project

/// Reads the attributes of an assertion (SAML core §2.7.3).
struct AttributeReader {
    private static let longestName = 1024

    /// - Returns: Values that are no texts, or that break `StreamSafety`, are left out.
    func attributes(of assertion: XMLElement) throws -> [SAMLAssertion.Attribute] {
        var attributes: [SAMLAssertion.Attribute] = []
        // Keyed by bytes, for Swift takes some different texts for equal.
        var places: [[UInt8]: Int] = [:]
        for statement in assertion.children("AttributeStatement", in: XMLNamespace.assertion) {
            guard statement.children("EncryptedAttribute", in: XMLNamespace.assertion).isEmpty else {
                throw SAMLRefusal.encryptedPart
            }
            let written = statement.children("Attribute", in: XMLNamespace.assertion)
            guard !written.isEmpty else { throw SAMLRefusal.emptyStatement }
            for attribute in written {
                guard let name = attribute.attribute("Name"), (1...Self.longestName).contains(name.utf8.count),
                    StreamSafety.holds(for: name)
                else {
                    throw SAMLRefusal.attributes
                }
                let values = attribute.children("AttributeValue", in: XMLNamespace.assertion).compactMap(Self.value)
                    .filter(StreamSafety.holds)
                if let place = places[Array(name.utf8)] {
                    attributes[place].values += values
                } else {
                    places[Array(name.utf8)] = attributes.count
                    attributes.append(SAMLAssertion.Attribute(name: name, values: values))
                }
            }
        }
        return attributes
    }

    private static func value(_ element: XMLElement) -> String? {
        let isNil = element.attribute("nil", in: XMLNamespace.instance)
        guard isNil?.isExactly("true") != true, isNil?.isExactly("1") != true else { return nil }
        if let text = element.text { return text }
        // Some attributes hold a name of the user in the form of the subject's.
        let children = element.children
        guard children.count == 1, children[0].is("NameID", in: XMLNamespace.assertion) else { return nil }
        return children[0].trimmedText
    }
}
