/// Writes JSON documents (RFC 8259), several times faster than `Codable` does. Every minted token needs one.
struct JSONWriter {
    /// How a document is written.
    enum Form {
        /// The members of objects in the order of their names' bytes, so that equal documents give equal bytes.
        case canonical
        /// The members of objects in their own order, and whole numbers without a fraction.
        case answer
    }

    private(set) var bytes: [UInt8] = []
    private let form: Form

    private static let hexadecimal = Array("0123456789abcdef".utf8)

    init(_ form: Form) { self.form = form }

    /// Appends a document.
    mutating func write(_ value: JSONValue) {
        switch value {
        case .null: write(literal: "null")
        case .bool(let flag): write(flag)
        case .integer(let number): write(number)
        case .number(let number): write(number)
        case .string(let text): write(quoted: text)
        case .array(let elements):
            writeList(elements, "[", "]") { $0.write($1) }
        case .object(let members):
            if form == .canonical, !members.isInOrder {
                writeList(members.sorted { $0.key < $1.key }, "{", "}") { $0.write($1) }
            } else {
                writeList(members, "{", "}") { $0.write($1) }
            }
        }
    }

    /// Appends a text that needs no escapes, as it stands.
    mutating func write(literal text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func write(byte: UInt8) { bytes.append(byte) }

    mutating func write(_ flag: Bool) { write(literal: flag ? "true" : "false") }

    mutating func write(_ number: some BinaryInteger) { bytes.append(contentsOf: String(number).utf8) }

    /// Appends a number. JSON has none that is infinite or no number: those are null.
    mutating func write(_ number: some BinaryFloatingPoint & LosslessStringConvertible) {
        guard number.isFinite else { return write(literal: "null") }
        let text = number.description
        let isWhole = form == .answer && text.hasSuffix(".0")
        bytes.append(contentsOf: text.utf8.dropLast(isWhole ? 2 : 0))
    }

    /// Appends a text in quotation marks. Slashes and characters beyond ASCII stand as they are.
    mutating func write(quoted text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { escape($0) }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func write(_ member: JSONObject.Element) {
        write(quoted: member.key.text)
        write(byte: UInt8(ascii: ":"))
        write(member.value)
    }

    private mutating func writeList<Elements: Collection>(
        _ elements: Elements,
        _ open: StaticString,
        _ close: StaticString,
        _ writeElement: (inout JSONWriter, Elements.Element) -> Void
    ) {
        write(literal: open)
        var isFirst = true
        for element in elements {
            if !isFirst { write(byte: UInt8(ascii: ",")) }
            isFirst = false
            writeElement(&self, element)
        }
        write(literal: close)
    }

    // What stands between two escapes is taken over at once.
    private mutating func escape(_ text: UnsafeBufferPointer<UInt8>) {
        var start = 0
        for (index, byte) in text.enumerated() {
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
            start = index + 1
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case UInt8(ascii: "\n"): write(literal: "\\n")
            case UInt8(ascii: "\r"): write(literal: "\\r")
            case UInt8(ascii: "\t"): write(literal: "\\t")
            default:
                write(literal: "\\u00")
                bytes.append(Self.hexadecimal[Int(byte >> 4)])
                bytes.append(Self.hexadecimal[Int(byte & 15)])
            }
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
    }
}
