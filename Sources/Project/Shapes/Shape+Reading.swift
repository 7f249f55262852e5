import OrderedCollections

extension Shape {
    /// Reads a document of a request by the rules of proto3 JSON (`Docs/Contract/conventions.md` §3): names in camel or snake
    /// case, numbers as texts and texts as numbers, enums by name or index. Unknown members and output-only members are left out.
    /// Nulls stay, because they clear.
    ///
    /// - Throws: `InvalidArgument` that names the place; the `APIError` of a word.
    package func read(_ value: JSONValue, at pointer: String = "") throws -> JSONValue {
        if value == .null { return .null }
        let value = try readAlone(value, at: pointer)
        switch (kind, value) {
        case (.object(let members), .object(let object)):
            var result: JSONObject = [:]
            for (name, member) in object {
                let camel = MemberSpelling.camel(name.text)
                guard let shape = members[camel], !shape.marks.contains(.outputOnly) else { continue }
                // The canonical spelling of a name has precedence over the other.
                if MemberName(camel) != name, object[camel] != nil { continue }
                result[camel] = try shape.read(member, at: "\(pointer)/\(camel)")
            }
            return .object(result)
        case (.map(let shape), .object(let object)):
            var result: JSONObject = [:]
            for (name, member) in object {
                try Self.check(name.text, bytes: Self.maximumTextBytes, at: pointer)
                result[name] = try shape.read(member, at: "\(pointer)/\(name)")
            }
            return .object(result)
        case (.list(let shape, let most), .array(let elements)):
            guard elements.count <= most else { throw InvalidArgument(at: pointer, "must not have more than \(most) elements") }
            return .array(
                try elements.enumerated().map { index, element in
                    let read = try shape.read(element, at: "\(pointer)/\(index)")
                    guard read != .null else { throw InvalidArgument(at: "\(pointer)/\(index)", "must not be null") }
                    return read
                }
            )
        default: return value
        }
    }

    /// Reads a value that is there; of an object, map or list only that it is one.
    package func readAlone(_ value: JSONValue, at pointer: @autoclosure () -> String) throws -> JSONValue {
        switch kind {
        case .any: return value
        case .object, .map:
            guard value.object != nil else { throw InvalidArgument(at: pointer(), "must be object") }
            return value
        case .list:
            guard value.array != nil else { throw InvalidArgument(at: pointer(), "must be array") }
            return value
        case .bool:
            switch value {
            case .bool: return value
            case "true": return true
            case "false": return false
            default: throw InvalidArgument(at: pointer(), "must be boolean")
            }
        case .integer, .int64:
            guard let number = Self.integer(value) else { throw InvalidArgument(at: pointer(), "must be integer") }
            return .integer(number)
        case .number:
            switch value {
            case .integer, .number: return value
            case .string(let text): if let number = Double(text), number.isFinite { return .number(number) }
            default: break
            }
            throw InvalidArgument(at: pointer(), "must be number")
        case .enumeration(let names):
            guard let name = Self.name(value, names) else { throw Self.unknownWord(at: pointer()) }
            return .string(name)
        case .word(let words, let error):
            if let word = Self.word(value, words) { return word }
            if let error { throw APIError(error) }
            throw Self.unknownWord(at: pointer())
        case .text, .shortText: return try text(value, at: pointer())
        }
    }

    private func text(_ value: JSONValue, at pointer: @autoclosure () -> String) throws -> JSONValue {
        let text: String
        switch value {
        case .string(let value): text = value
        case .integer(let number): text = String(number)
        case .bool(let flag): text = String(flag)
        default: throw InvalidArgument(at: pointer(), "must be string")
        }
        switch kind {
        case .text(.password, _): break
        case .text(_, let bytes): try Self.check(text, bytes: bytes ?? .max, at: pointer())
        case .shortText(let length):
            // Only characters are counted, so that a long text gets the error about characters.
            try Self.check(text, bytes: .max, at: pointer())
            guard text.unicodeScalars.count <= length else {
                throw InvalidArgument(at: pointer(), "must not have more than \(length) characters")
            }
        default: break
        }
        return .string(text)
    }

    // Stores cannot keep the character U+0000 in a text.
    private static func check(_ text: String, bytes: Int, at pointer: @autoclosure () -> String) throws {
        guard text.utf8.count <= bytes else { throw InvalidArgument(at: pointer(), "must not have more than \(bytes) bytes") }
        if text.hasNull { throw InvalidArgument(at: pointer(), "must not contain the character U+0000") }
    }

    private static func unknownWord(at pointer: String) -> InvalidArgument {
        InvalidArgument(at: pointer, "must be equal to one of the allowed values")
    }

    private static func integer(_ value: JSONValue) -> Int64? {
        switch value {
        case .integer(let number): number
        case .number(let number): Int64(exactly: number)
        case .string(let text): Int64(text)
        default: nil
        }
    }

    private static func name(_ value: JSONValue, _ names: [String]) -> String? {
        if let text = value.string, names.contains(text) { return text }
        if case .number = value { return nil }
        return integer(value).flatMap { names.indices.contains(Int($0)) ? names[Int($0)] : nil }
    }

    // Index 0 of every enum of a resource, and its name, mean "unspecified", which counts as absent.
    private static func word(_ value: JSONValue, _ words: [String]) -> JSONValue? {
        if let text = value.string {
            if words.contains(text) { return value }
            if text.hasSuffix("_UNSPECIFIED") || text.isEmpty { return .null }
        }
        guard let index = integer(value) else { return nil }
        if index == 0 { return .null }
        guard index > 0, index <= words.count else { return nil }
        return .string(words[Int(index) - 1])
    }
}
