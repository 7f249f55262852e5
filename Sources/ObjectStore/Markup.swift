/// A piece of an XML document, as far as answers of object stores need it: elements by name, and their texts.
///
/// Foundation's parser would link libxml2 into every server. Comments, CDATA sections and prefixes of names are not read; no store
/// writes any. The document is bounded by who receives it.
struct Markup {
    private let bytes: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

    private init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// Whether the document's outermost element has a name.
    func isRooted(at name: String) -> Bool {
        var rest = bytes.drop(while: Self.isSpace)
        if rest.starts(with: "<?".utf8) {
            guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
            rest = rest[(end + 1)...].drop(while: Self.isSpace)
        }
        return rest.starts(with: "<\(name)".utf8) && Self.endsName(rest.dropFirst(name.utf8.count + 1).first)
    }

    /// The contents of the first element with a name.
    func first(_ name: String) -> Markup? { next(name, from: bytes.startIndex)?.content }

    /// The contents of all elements with a name, in their order.
    func all(_ name: String) -> [Markup] {
        var (found, start) = ([Markup](), bytes.startIndex)
        while let (content, end) = next(name, from: start) {
            found.append(content)
            start = end
        }
        return found
    }

    private func next(_ name: String, from start: Int) -> (content: Markup, end: Int)? {
        let (opening, closing) = (Array("<\(name)".utf8), Array("</\(name)>".utf8))
        var place = start
        while let tag = find(opening, from: place) {
            place = tag + opening.count
            guard place < bytes.endIndex, Self.endsName(bytes[place]) else { continue }
            guard let end = bytes[place...].firstIndex(of: UInt8(ascii: ">")) else { return nil }
            if bytes[end - 1] == UInt8(ascii: "/") { return (Markup(bytes[end..<end]), end + 1) }
            guard let close = find(closing, from: end + 1) else { return nil }
            return (Markup(bytes[(end + 1)..<close]), close + closing.count)
        }
        return nil
    }

    private func find(_ pattern: [UInt8], from start: Int) -> Int? {
        var place = start
        while let candidate = bytes[place...].firstIndex(of: UInt8(ascii: "<")) {
            if bytes[candidate...].starts(with: pattern) { return candidate }
            place = candidate + 1
        }
        return nil
    }

    /// The text; `nil` when there are elements in it, an unknown entity, or bytes that are no UTF-8.
    var text: String? {
        guard !bytes.contains(UInt8(ascii: "<")), let raw = String(validating: bytes, as: UTF8.self) else { return nil }
        var text = ""
        for (number, part) in raw.split(separator: "&", omittingEmptySubsequences: false).enumerated() {
            guard number > 0 else {
                text += part
                continue
            }
            guard let end = part.firstIndex(of: ";"), let character = Self.character(part[..<end]) else { return nil }
            text.unicodeScalars.append(character)
            text += part[part.index(after: end)...]
        }
        return text
    }

    private static let entities: [Substring: Unicode.Scalar] = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]

    private static func character(_ entity: Substring) -> Unicode.Scalar? {
        if let known = entities[entity] { return known }
        guard entity.hasPrefix("#"), entity.utf8.count <= 8 else { return nil }
        let digits = entity.dropFirst()
        let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap(Unicode.Scalar.init)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    private static func endsName(_ byte: UInt8?) -> Bool {
        byte.map { isSpace($0) || $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "/") } ?? false
    }
}
