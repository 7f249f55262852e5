import OrderedCollections
import Project

/// The permitted content of a configuration resource. A misspelt or ill-typed member is refused rather than ignored, because an
/// ignored switch would stay off (`Docs/Contract/admin-config.md`).
indirect enum ResourceShape: Sendable {
    case bool
    case text
    case integer
    case number
    /// One of these texts.
    case word([String])
    /// One of these texts; a request with another text gets this error code.
    case code([String], ErrorCode)
    /// Any value.
    case any
    /// An absolute `http` or `https` URL.
    case url
    case list(ResourceShape)
    /// An object with any names and values of one shape.
    case map(ResourceShape)
    /// These members and no others, each of them optional. Answers have them in this order.
    case object(Members)

    typealias Members = OrderedDictionary<String, ResourceShape>

    /// The most bytes of a text. The longest texts are mail templates.
    static let maximumTextBytes = 64 * 1024
    /// The most elements of a list.
    static let maximumElements = 1000

    /// Lists the errors of a value, one line for each, with its place. Null counts as absent.
    func problems(of value: JSONValue?, at place: String) -> [String] {
        guard let value, value != .null else { return [] }
        switch self {
        case .any: return []
        case .bool: return value.bool == nil ? ["\(place) must be true or false"] : []
        case .text: return value.string == nil ? ["\(place) must be a text"] : []
        case .integer: return value.integer == nil ? ["\(place) must be a whole number"] : []
        case .number:
            if case .number = value { return [] }
            return value.integer == nil ? ["\(place) must be a number"] : []
        case .word(let words), .code(let words, _):
            return value.string.map(words.contains) == true ? [] : ["\(place) must be one of \(words.joined(separator: ", "))"]
        case .url:
            let isWeb = ["https://", "http://"].contains { value.string?.hasPrefix($0) ?? false }
            return isWeb ? [] : ["\(place) must be an absolute https or http URL"]
        case .list(let shape):
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
