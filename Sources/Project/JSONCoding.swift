package import Foundation

extension JSONValue: Codable {
    package init(from decoder: any Decoder) throws {
        // Strings first: they are by far the most common leaf of a request.
        if let container = try? decoder.singleValueContainer() {
            if let value = try? container.decode(String.self) {
                self = .string(value)
                return
            }
            if container.decodeNil() {
                self = .null
                return
            }
        }
        if let container = try? decoder.container(keyedBy: CodingName.self) {
            var members: JSONObject = [:]
            // A decoder may list the names in another order each time.
            for key in container.allKeys.sorted(by: { MemberName($0.stringValue) < MemberName($1.stringValue) }) {
                members[key.stringValue] = try container.decode(JSONValue.self, forKey: key)
            }
            self = .object(members)
        } else if var container = try? decoder.unkeyedContainer() {
            var elements: [JSONValue] = []
            while !container.isAtEnd { elements.append(try container.decode(JSONValue.self)) }
            self = .array(elements)
        } else {
            let container = try decoder.singleValueContainer()
            if let value = try? container.decode(Bool.self) {
                self = .bool(value)
            } else if let value = try? container.decode(Int64.self) {
                self = .integer(value)
            } else {
                self = .number(try container.decode(Double.self))
            }
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let members):
            var container = encoder.container(keyedBy: CodingName.self)
            for (name, value) in members { try container.encode(value, forKey: CodingName(stringValue: name.text)) }
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        default:
            var container = encoder.singleValueContainer()
            switch self {
            case .bool(let value): try container.encode(value)
            case .integer(let value): try container.encode(value)
            case .number(let value): try container.encode(value)
            case .string(let value): try container.encode(value)
            default: try container.encodeNil()
            }
        }
    }

    private struct CodingName: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

extension JSONValue {
    /// How deep arrays and objects may nest in anything read from outside.
    package static let maximumDepth = 64
    /// How many members an object may have.
    package static let maximumMembers = 1000
    /// How many bytes the name of a member may have.
    package static let maximumNameBytes = 1024

    /// How many values a document may have. Real ones have fewer: a member's name, quotes and a separator take more than this.
    ///
    /// - Returns: A value for 8 bytes, beyond a mebibyte for 16, and a thousand for short documents.
    package static func maximumValues(inBytes bytes: Int) -> Int {
        let dense = min(bytes, 1 << 20)
        return 1024 + dense / 8 + (bytes - dense) / 16
    }

    /// Why a text is not an acceptable JSON document.
    package enum ParseError: Error, Equatable, Sendable {
        case malformed
        case tooDeep
        /// There are too many values, an object has too many members, a name is too long, or a text has too many combining marks in a
        /// row.
        case excessive
    }

    /// Reads a JSON text strictly, see ``JSONParser``.
    ///
    /// - Returns: An escape that is half a pair of surrogates becomes U+FFFD.
    /// - Throws: ``ParseError`` for a text that is not JSON (RFC 8259), objects with a name twice, numbers beyond a `Double`,
    ///   nesting beyond ``maximumDepth``, more than ``maximumValues(inBytes:)``, objects beyond ``maximumMembers``, names beyond
    ///   ``maximumNameBytes``, and texts that break ``StreamSafety``.
    package static func parse(_ bytes: some Sequence<UInt8>) throws -> JSONValue {
        try JSONParser.parse(Array(bytes), maximumDepth: maximumDepth)
    }

    /// The document as UTF-8 JSON with its members in alphabetical order, so that equal documents give equal bytes.
    package func serialized() -> Data { Data(canonical()) }

    /// The document as ``serialized()`` has it, as bytes.
    package func canonical() -> [UInt8] { written(.canonical) }

    /// The document as JSON text, see ``serialized()``.
    package var text: String { String(decoding: canonical(), as: UTF8.self) }

    /// The document as UTF-8 JSON with its members in their own order, as an answer has them.
    package func ordered() -> [UInt8] { written(.answer) }

    /// The JSON in lines, for people, as in a key file.
    package func readable() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    private func written(_ form: JSONWriter.Form) -> [UInt8] {
        var writer = JSONWriter(form)
        writer.write(self)
        return writer.bytes
    }
}
