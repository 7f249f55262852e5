package import Project
import Yams

extension ProjectFile {
    /// Writes a project file that ``read(path:environment:surroundings:)`` reads as the same content.
    package static func text(of document: JSONValue) throws -> String {
        try Yams.serialize(node: node(document), width: -1, allowUnicode: true)
    }

    private static func node(_ value: JSONValue) -> Node {
        switch value {
        case .null: Node("null")
        case .bool(let flag): Node(flag ? "true" : "false")
        case .integer(let number): Node("\(number)")
        case .number: Node(value.text)
        // Texts are quoted, since a plain one may be read as a number or a flag. Lines stay lines.
        case .string(let text):
            Node(text, Tag(.str), text.utf8.contains(UInt8(ascii: "\n")) ? .literal : .doubleQuoted)
        case .array(let items): Node(items.map(node), Tag(.seq), .block)
        case .object(let members): Node(members.map { (key($0.key.text), node($0.value)) }, Tag(.map), .block)
        }
    }

    private static func key(_ name: String) -> Node {
        let isPlain = name.wholeMatch(of: /[A-Za-z][A-Za-z0-9._-]*/) != nil
        return Node(name, Tag(.str), isPlain ? .plain : .doubleQuoted)
    }
}
