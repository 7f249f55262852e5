/// Form pairs, `application/x-www-form-urlencoded` (WHATWG URL, §5.1).
package enum FormEncoding {
    /// The most pairs that a form may have; those beyond are left out.
    package static let maximumPairs = 1000

    /// The pairs of a form in their order. No text is malformed: a name without `=` has an empty value.
    ///
    /// Pairs beyond ``maximumPairs``, and pairs whose texts break ``StreamSafety``, are left out.
    package static func pairs(_ text: Substring.UTF8View) -> [(name: String, value: String)] { read(text).pairs }

    /// The pairs of a form, if none of them would be left out.
    ///
    /// A form that loses a field would erase what the field stands for.
    ///
    /// - Returns: The pairs; `nil` when there are more than ``maximumPairs``, or one breaks ``StreamSafety`` or has U+0000, which
    ///   no store keeps.
    package static func wholePairs(_ text: Substring.UTF8View) -> [(name: String, value: String)]? {
        let (pairs, isWhole) = read(text)
        return isWhole && pairs.allSatisfy { !$0.name.hasNull && !$0.value.hasNull } ? pairs : nil
    }

    private static func read(_ text: Substring.UTF8View) -> (pairs: [(name: String, value: String)], isWhole: Bool) {
        var pairs: [(name: String, value: String)] = []
        var (read, rest) = (0, text)
        while !rest.isEmpty, read < maximumPairs {
            let (pair, after) = cut(rest, at: UInt8(ascii: "&"))
            rest = after
            if pair.isEmpty { continue }
            read += 1
            let (name, value) = cut(pair, at: UInt8(ascii: "="))
            let decoded = (name: decode(name), value: decode(value))
            if StreamSafety.holds(for: decoded.name), StreamSafety.holds(for: decoded.value) { pairs.append(decoded) }
        }
        return (pairs, rest.isEmpty && pairs.count == read)
    }

    /// The parts of a text before and after the first separator; without one, all of it is before.
    package static func cut(
        _ text: Substring.UTF8View,
        at separator: UInt8
    ) -> (before: Substring.UTF8View, after: Substring.UTF8View) {
        guard let index = text.place(of: separator) else { return (text, text[text.endIndex...]) }
        return (text[..<index], text[text.index(after: index)...])
    }

    /// A text with its escapes resolved: `+` is a space, and a stray `%` stands for itself.
    package static func decoded(_ text: String) -> String { decode(text[...].utf8) }

    private static func decode(_ text: Substring.UTF8View) -> String {
        guard text.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
            return String(decoding: text, as: UTF8.self)
        }
        let encoded = Array(text)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(encoded.count)
        var index = 0
        while index < encoded.count {
            if let value = escaped(encoded, at: index) {
                bytes.append(value)
                index += 3
            } else {
                bytes.append(encoded[index] == UInt8(ascii: "+") ? UInt8(ascii: " ") : encoded[index])
                index += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether a text has some `%XX` in it.
    package static func hasEscape(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.indices.contains { escaped(bytes, at: $0) != nil }
    }

    private static func escaped(_ bytes: [UInt8], at index: Int) -> UInt8? {
        guard bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = digit(bytes[index + 1]),
            let low = digit(bytes[index + 2])
        else { return nil }
        return high << 4 | low
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
