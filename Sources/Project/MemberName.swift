/// The name of a member of a JSON object: equal to another only if their UTF-8 bytes are, and hashed as bytes.
///
/// `String` compares by canonical equivalence, which treats the Kelvin sign and a `K` as equal.
package struct MemberName: Sendable, Hashable, Comparable, ExpressibleByStringLiteral, CustomStringConvertible {
    package let text: String

    package init(_ text: String) { self.text = text }
    package init(stringLiteral text: String) { self.text = text }

    package var description: String { text }

    package static func == (one: MemberName, other: MemberName) -> Bool { bytesEqual(one.text, other.text) }

    /// Compares the UTF-8 bytes.
    package static func < (one: MemberName, other: MemberName) -> Bool {
        byteOrder(one.text, other.text) < 0
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(UInt8.max)
    }
}
