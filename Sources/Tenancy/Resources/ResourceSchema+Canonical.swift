import OrderedCollections
import Project

extension ResourceSchema {
    /// Reads a resource from a request by the rules of proto3 JSON (`Docs/Contract/conventions.md` §3): names in camel or snake
    /// case, numbers as texts and texts as numbers, enums by name or index. Unknown members and output-only members are left out.
    ///
    /// - Returns: Nulls stay, because they clear.
    func canonical(_ body: JSONValue) throws -> JSONValue {
        try canonical(body, shape, pattern: [], pointer: "") ?? [:]
    }

    private func canonical(
        _ value: JSONValue,
        _ shape: ResourceShape,
        pattern: [String],
        pointer: String
    ) throws -> JSONValue? {
        if value == .null { return .null }
        switch shape {
        case .object(let members):
            guard let object = value.object else { throw InvalidArgument(at: pointer, "must be object") }
            var result: JSONObject = [:]
            for (name, member) in object {
                let camel = CamelCase.name(name.text)
                let path = pattern + [camel]
                guard let shape = members[camel], !outputOnly.contains(path) else { continue }
                // The canonical spelling of a name has precedence over the other.
                if MemberName(camel) != name, object[camel] != nil { continue }
                result[camel] = try canonical(member, shape, pattern: path, pointer: "\(pointer)/\(camel)")
            }
            return .object(result)
        case .map(let shape):
            guard let object = value.object else { throw InvalidArgument(at: pointer, "must be object") }
            var result: JSONObject = [:]
            for (name, member) in object {
                try Self.checkText(name.text, at: pointer)
                result[name] = try canonical(member, shape, pattern: pattern + ["*"], pointer: "\(pointer)/\(name)")
            }
            return .object(result)
        case .list(let shape):
            guard let elements = value.array else { throw InvalidArgument(at: pointer, "must be array") }
            guard elements.count <= ResourceShape.maximumElements else {
                throw InvalidArgument(at: pointer, "must not have more than \(ResourceShape.maximumElements) elements")
            }
            return .array(
                try elements.enumerated().map { index, element in
                    let place = "\(pointer)/\(index)"
                    let read = try canonical(element, shape, pattern: pattern + ["*"], pointer: place) ?? .null
                    guard read != .null else { throw InvalidArgument(at: place, "must not be null") }
                    return read
                }
            )
        default: return try Self.scalar(value, shape, pointer)
        }
    }

    private static func scalar(_ value: JSONValue, _ shape: ResourceShape, _ pointer: String) throws -> JSONValue {
        switch shape {
        case .bool:
            switch value {
            case .bool: return value
            case "true": return true
            case "false": return false
            default: throw InvalidArgument(at: pointer, "must be boolean")
            }
        case .integer:
            if let number = integer(value) { return .integer(number) }
            throw InvalidArgument(at: pointer, "must be integer")
        case .number:
            switch value {
            case .integer, .number: return value
            case .string(let text): if let number = Double(text), number.isFinite { return .number(number) }
            default: break
            }
            throw InvalidArgument(at: pointer, "must be number")
        case .word(let words):
            if let word = word(value, words) { return word }
            throw InvalidArgument(at: pointer, "must be equal to one of the allowed values")
        case .code(let words, let error):
            if let word = word(value, words) { return word }
            throw APIError(error)
        default:
            switch value {
            case .string(let text): try checkText(text, at: pointer)
            case .integer(let number): return .string(String(number))
            case .bool(let flag): return .string(String(flag))
            default: throw InvalidArgument(at: pointer, "must be string")
            }
            return value
        }
    }

    // Stores cannot keep the character U+0000 in a text.
    private static func checkText(_ text: String, at pointer: String) throws {
        guard text.utf8.count <= ResourceShape.maximumTextBytes else {
            throw InvalidArgument(at: pointer, "must not have more than \(ResourceShape.maximumTextBytes) bytes")
        }
        if text.utf8.contains(0) { throw InvalidArgument(at: pointer, "must not contain the character U+0000") }
    }

    private static func integer(_ value: JSONValue) -> Int64? {
        switch value {
        case .integer(let number): number
        case .number(let number): Int64(exactly: number)
        case .string(let text): Int64(text)
        default: nil
        }
    }

    // Index 0 of every enum, and its name, mean "unspecified", which counts as absent.
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
