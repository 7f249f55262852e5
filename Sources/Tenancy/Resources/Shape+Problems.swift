import OrderedCollections
import Project

extension Shape {
    /// Lists the errors of a value in a file, one line for each, with its place. Null counts as absent. A misspelt or ill-typed
    /// member is refused rather than ignored, because an ignored switch would stay off (`Docs/Contract/admin-config.md`).
    func problems(of value: JSONValue?, at place: String) -> [String] {
        guard let value, value != .null else { return [] }
        switch kind {
        case .any: return []
        case .bool: return value.bool == nil ? ["\(place) must be true or false"] : []
        case .text(.uri, _):
            let isWeb = ["https://", "http://"].contains { value.string?.hasPrefix($0) ?? false }
            return isWeb ? [] : ["\(place) must be an absolute https or http URL"]
        case .text, .shortText: return value.string == nil ? ["\(place) must be a text"] : []
        case .integer, .int64: return value.integer == nil ? ["\(place) must be a whole number"] : []
        case .number: return value.double == nil ? ["\(place) must be a number"] : []
        case .word(let words, _), .enumeration(let words):
            return value.string.map(words.contains) == true ? [] : ["\(place) must be one of \(words.joined(separator: ", "))"]
        case .list(let shape, _):
            guard let elements = value.array else { return ["\(place) must be a list"] }
            return elements.enumerated().flatMap { shape.problems(of: $1, at: "\(place)[\($0)]") }
        case .map(let shape):
            guard let members = value.object else { return ["\(place) must be a map"] }
            return members.flatMap { shape.problems(of: $1, at: "\(place).\($0)") }
        case .object(let shapes):
            guard let members = value.object else { return ["\(place.isEmpty ? "the file" : place) must be a map"] }
            return members.flatMap { name, member in
                let path = place.isEmpty ? name.text : "\(place).\(name)"
                guard let shape = shapes[name.text] else {
                    return ["\(path) is unknown; expected one of \(shapes.keys.sorted().joined(separator: ", "))"]
                }
                return shape.problems(of: member, at: path)
            }
        }
    }
}
