import Project

/// The members of a record. It keeps track of the members that were read, so that all others can be reported.
struct RecordMembers {
    private let members: JSONObject
    private var known: Set<String> = []

    private static let longestTime = 64

    init(_ content: FileRecord.Content) throws {
        switch content {
        case .object(let members): self.init(members)
        case .unreadable(let reason): throw UnusableRecord(reason)
        case .cells: throw UnusableRecord("the record is not a JSON object")
        }
    }

    init(_ members: JSONObject) { self.members = members }

    /// A member; `nil` when it is absent or null.
    mutating func value(_ name: String) -> JSONValue? {
        known.insert(name)
        let value = members[name]
        return value == .null ? nil : value
    }

    /// A text; `nil` when it is absent or empty.
    mutating func text(_ name: String) throws -> String? {
        guard let value = value(name) else { return nil }
        switch value {
        case .string(let text):
            if text.utf8.contains(0) { throw UnusableRecord("\(name) contains the character U+0000") }
            return text.isEmpty ? nil : text
        case .integer(let number): return String(number)
        default: throw UnusableRecord("\(name) is not a text")
        }
    }

    /// A boolean, which CSV has as a text.
    mutating func flag(_ name: String) throws -> Bool {
        switch value(name) {
        case nil: return false
        case .bool(let flag): return flag
        case .string(let text):
            switch text.lowercased() {
            case "true", "t": return true
            case "false", "f", "": return false
            default: break
            }
        default: break
        }
        throw UnusableRecord("\(name) is neither true nor false")
    }

    /// A time in RFC 3339 or in PostgreSQL's format. A time that cannot be read becomes a note.
    mutating func time(_ name: String, _ notes: inout [String]) throws -> Timestamp? {
        guard var text = try text(name) else { return nil }
        guard text.utf8.count <= Self.longestTime else {
            notes.append("\(name) is not a time and is not kept")
            return nil
        }
        if let space = text.firstIndex(of: " ") { text.replaceSubrange(space...space, with: "T") }
        if text.wholeMatch(of: /.*[+-][0-9]{2}/) != nil, text.contains("T") { text += ":00" }
        if let time = Timestamp(rfc3339: text) { return time }
        notes.append("\(name) is not a time and is not kept")
        return nil
    }

    /// Marks members as known. They contain nothing that an account keeps.
    mutating func pass(_ names: String...) { known.formUnion(names) }

    /// A note for every member that was not read and is not empty.
    func unknown(_ place: String = "") -> [String] {
        members.filter { !known.contains($0.key.text) && !Self.isEmpty($0.value) }.keys.map(\.text).sorted()
            .map { "\(place)\(TerminalText.printable(String($0.prefix(100)))) is not kept" }
    }

    private static func isEmpty(_ value: JSONValue) -> Bool {
        value == .null || value == "" || value == false || value == [] || value == .object([:])
    }
}
