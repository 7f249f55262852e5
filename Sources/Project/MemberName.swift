/// The name of a member of a JSON object: equal to another only if their UTF-8 bytes are, and hashed as bytes.
///
/// `String` compares by canonical equivalence, which treats the Kelvin sign and a `K` as equal.
package struct MemberName: Sendable, Hashable, Comparable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name as a text.
    package let text: String

    package init(_ text: String) { self.text = text }
    package init(stringLiteral text: String) { self.text = text }

    package var description: String { text }

    package static func == (one: MemberName, other: MemberName) -> Bool { bytesEqual(one.text, other.text) }

    /// Compares the UTF-8 bytes.
    package static func < (one: MemberName, other: MemberName) -> Bool {
        one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(UInt8.max)
    }
}

/// The members of a JSON object.
package typealias JSONObject = [MemberName: JSONValue]

extension JSONObject {
    /// The member of a name, by the bytes of the name.
    package subscript(name: String) -> JSONValue? {
        get { self[MemberName(name)] }
        set { self[MemberName(name)] = newValue }
    }

    /// Makes an object of pairs. When several pairs have one name, the last one wins.
    package init(naming members: some Sequence<(String, JSONValue)>) {
        self.init(members.map { (MemberName($0), $1) }) { _, last in last }
    }
}
