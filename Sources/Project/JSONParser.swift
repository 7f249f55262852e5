import Foundation

/// Reads JSON strictly (RFC 8259, and of RFC 7493 that no object has a name twice). A text that two readers could understand
/// differently is refused, which matters most inside signed tokens (RFC 8725 §2.6).
///
/// Foundation's readers accept trailing commas, UTF-16, and several members of one name.
struct JSONParser {
    private let bytes: [UInt8]
    private var position = 0
    private let maximumDepth: Int
    // How many more values there may be. A value takes far more memory than the byte or two that it may be written in.
    private var valuesLeft: Int

    private init(_ bytes: [UInt8], maximumDepth: Int) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
        valuesLeft = JSONValue.maximumValues(inBytes: bytes.count)
    }

    /// Reads a whole document.
    ///
    /// - Parameter bytes: UTF-8 without a byte order mark.
    static func parse(_ bytes: [UInt8], maximumDepth: Int) throws -> JSONValue {
        var parser = JSONParser(bytes, maximumDepth: maximumDepth)
        parser.skipSpace()
        let value = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.position == bytes.count else { throw JSONValue.ParseError.malformed }
        return value
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { position += 1 }
    }

    /// Steps over the given byte if it is the next one.
    private mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) throws -> JSONValue {
        valuesLeft -= 1
        guard valuesLeft >= 0 else { throw JSONValue.ParseError.excessive }
        switch current {
        case UInt8(ascii: "{"): return try object(depth: depth + 1)
        case UInt8(ascii: "["): return try array(depth: depth + 1)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func word(_ text: StaticString, _ value: JSONValue) throws -> JSONValue {
        let length = text.utf8CodeUnitCount
        let isThere = text.withUTF8Buffer { bytes.dropFirst(position).starts(with: $0) }
        guard isThere else { throw JSONValue.ParseError.malformed }
        position += length
        return value
    }

    private mutating func object(depth: Int) throws -> JSONValue {
        guard depth <= maximumDepth else { throw JSONValue.ParseError.tooDeep }
        position += 1
        var members: JSONObject = [:]
        skipSpace()
        if take(UInt8(ascii: "}")) { return .object(members) }
        repeat {
            skipSpace()
            guard current == UInt8(ascii: "\"") else { throw JSONValue.ParseError.malformed }
            let name = MemberName(try string())
            guard name.text.utf8.count <= JSONValue.maximumNameBytes, members.count < JSONValue.maximumMembers else {
                throw JSONValue.ParseError.excessive
            }
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw JSONValue.ParseError.malformed }
            skipSpace()
            guard members.updateValue(try value(depth: depth), forKey: name) == nil else { throw JSONValue.ParseError.malformed }
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw JSONValue.ParseError.malformed }
        return .object(members)
    }

    private mutating func array(depth: Int) throws -> JSONValue {
        guard depth <= maximumDepth else { throw JSONValue.ParseError.tooDeep }
        position += 1
        var elements: [JSONValue] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return .array(elements) }
        repeat {
            skipSpace()
            elements.append(try value(depth: depth))
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw JSONValue.ParseError.malformed }
        return .array(elements)
    }

    // MARK: Texts

    private mutating func string() throws -> String {
        position += 1
        let start = position
        // Most texts have no escapes: they are taken over as they stand.
        while let byte = current, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { position += 1 }
        if current == UInt8(ascii: "\"") {
            defer { position += 1 }
            return try Self.text(bytes[start..<position])
        }
        var collected = Array(bytes[start..<position])
        while let byte = current, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw JSONValue.ParseError.malformed }
            position += 1
            if byte == UInt8(ascii: "\\") { try escape(into: &collected) } else { collected.append(byte) }
        }
        guard take(UInt8(ascii: "\"")) else { throw JSONValue.ParseError.malformed }
        return try Self.text(collected[...])
    }

    private static func text(_ bytes: ArraySlice<UInt8>) throws -> String {
        // Most texts are ASCII, of which nothing has to be checked. The standard library's check costs much more than the text.
        if bytes.reduce(0, |) < 0x80 { return String(decoding: bytes, as: UTF8.self) }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw JSONValue.ParseError.malformed }
        guard StreamSafety.holds(for: text) else { throw JSONValue.ParseError.excessive }
        return text
    }

    private mutating func escape(into text: inout [UInt8]) throws {
        guard let byte = current else { throw JSONValue.ParseError.malformed }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0c)
        case UInt8(ascii: "n"): text.append(0x0a)
        case UInt8(ascii: "r"): text.append(0x0d)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: String(try escapedScalar()).utf8)
        default: throw JSONValue.ParseError.malformed
        }
    }

    // One `\uXXXX`, or two that are a pair of surrogates. Half a pair is U+FFFD: JavaScript writes one for a text that was cut in the
    // middle of a character.
    private mutating func escapedScalar() throws -> Character {
        let first = try codeUnit()
        if let scalar = Unicode.Scalar(first) { return Character(scalar) }
        let start = position
        if UTF16.isLeadSurrogate(first), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) {
            let second = try codeUnit()
            if UTF16.isTrailSurrogate(second),
                let scalar = Unicode.Scalar(0x10000 + (UInt32(first) - 0xd800) << 10 + (UInt32(second) - 0xdc00))
            {
                return Character(scalar)
            }
        }
        // The next escape is not the second half of the pair. It is read again on its own.
        position = start
        return "\u{FFFD}"
    }

    private mutating func codeUnit() throws -> UInt16 {
        guard position + 4 <= bytes.count else { throw JSONValue.ParseError.malformed }
        var unit: UInt16 = 0
        for byte in bytes[position..<position + 4] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw JSONValue.ParseError.malformed }
            unit = unit << 4 | UInt16(digit)
        }
        position += 4
        return unit
    }

    // MARK: Numbers

    // Whole numbers that fit stay exact. A number with a fraction or an exponent is always a `Double`.
    private mutating func number() throws -> JSONValue {
        let start = position
        var isWhole = true
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        if take(UInt8(ascii: ".")) {
            isWhole = false
            try digits()
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isWhole = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isWhole, let integer = Int64(text) { return .integer(integer) }
        guard let value = Double(text), value.isFinite else { throw JSONValue.ParseError.malformed }
        return .number(value)
    }

    private mutating func digits() throws {
        let start = position
        while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        guard position > start else { throw JSONValue.ParseError.malformed }
    }
}
