/// Encodes answers as UTF-8 JSON, each member where its type's `encode(to:)` writes it: for a synthesized one, in the order in
/// which the type declares them (`Docs/Contract/rulings.md` 32).
///
/// Foundation's encoder collects members in a dictionary, whose order changes from call to call. This one writes at once: a nested
/// container is closed when the one around it is written to again, and writing to a closed one fails, as `superEncoder()` does.
package enum AnswerEncoder {
    /// Encodes a value.
    ///
    /// - Parameter value: The answer; members that are `nil` are left out, and a type that writes nothing is an empty object.
    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        let output = AnswerOutput()
        try output.write(value)
        return output.writer.bytes
    }
}

/// The text so far, with the objects and lists that are open in it.
private final class AnswerOutput {
    // No access lasts while another begins. Checking that at run time would cost a third of an answer.
    @exclusivity(unchecked) var writer = JSONWriter(.answer)
    @exclusivity(unchecked) private var open: [Structure] = []
    @exclusivity(unchecked) private var opened = 0

    private struct Structure {
        let number: Int
        let isObject: Bool
        var count = 0
    }

    /// Writes a value where one is due.
    func write<Value: Encodable>(_ value: Value) throws {
        if Value.self == JSONValue.self, let document = value as? JSONValue { return writer.write(document) }
        let slot = AnswerSlot(output: self, depth: open.count, start: writer.bytes.count)
        try value.encode(to: slot)
        close(to: slot.depth)
        if slot.isEmpty { writer.write(literal: "{}") }
    }

    /// Opens an object or a list where a value is due. The one that is open there already goes on.
    ///
    /// - Returns: Nowhere if something else is there.
    func begin(isObject: Bool, in slot: AnswerSlot) -> AnswerPlace {
        if slot.isEmpty { return begin(isObject: isObject) }
        guard open.count > slot.depth, open[slot.depth].isObject == isObject else { return .nowhere }
        return AnswerPlace(depth: slot.depth + 1, number: open[slot.depth].number)
    }

    private func begin(isObject: Bool) -> AnswerPlace {
        opened += 1
        open.append(Structure(number: opened, isObject: isObject))
        writer.write(byte: UInt8(ascii: isObject ? "{" : "["))
        return AnswerPlace(depth: open.count, number: opened)
    }

    /// Opens an object or a list in another one.
    func nest(isObject: Bool, _ makeRoom: () throws -> Void) -> AnswerPlace {
        guard (try? makeRoom()) != nil else { return .nowhere }
        return begin(isObject: isObject)
    }

    /// Makes room for the next element of an object or list: what was nested in it is closed.
    func advance(in place: AnswerPlace) throws {
        guard isOpen(place) else { throw Self.outOfTurn }
        close(to: place.depth)
        if open[place.depth - 1].count > 0 { writer.write(byte: UInt8(ascii: ",")) }
        open[place.depth - 1].count += 1
    }

    /// Makes room for a member.
    func name(_ key: some CodingKey, in place: AnswerPlace) throws {
        try advance(in: place)
        writer.write(quoted: key.stringValue)
        writer.write(byte: UInt8(ascii: ":"))
    }

    /// How many elements an object or list has.
    func count(of place: AnswerPlace) -> Int { isOpen(place) ? open[place.depth - 1].count : 0 }

    private func isOpen(_ place: AnswerPlace) -> Bool {
        place.depth > 0 && open.count >= place.depth && open[place.depth - 1].number == place.number
    }

    private func close(to depth: Int) {
        while open.count > depth { writer.write(byte: UInt8(ascii: open.removeLast().isObject ? "}" : "]")) }
    }

    static var outOfTurn: EncodingError {
        .invalidValue((), .init(codingPath: [], debugDescription: "Answers are written from front to back."))
    }
}

/// An open object or list.
private struct AnswerPlace {
    /// The outermost is 1.
    let depth: Int
    /// No other has it.
    let number: Int

    /// Writing to it fails.
    static let nowhere = AnswerPlace(depth: 0, number: 0)
}

/// Where one value is due.
private struct AnswerSlot: Encoder {
    let output: AnswerOutput
    /// How many objects and lists are open around it.
    let depth: Int
    /// Where in the text it begins.
    let start: Int

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Whether nothing is written yet.
    var isEmpty: Bool { output.writer.bytes.count == start }

    /// Writing to it fails.
    static func nowhere(_ output: AnswerOutput) -> AnswerSlot { AnswerSlot(output: output, depth: .max, start: -1) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(AnswerMembers(output: output, place: output.begin(isObject: true, in: self)))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        AnswerElements(output: output, place: output.begin(isObject: false, in: self))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { AnswerScalar(slot: self) }
}

private struct AnswerMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let output: AnswerOutput
    let place: AnswerPlace

    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws {
        try output.name(key, in: place)
        output.writer.write(literal: "null")
    }

    func encode(_ value: Bool, forKey key: Key) throws {
        try output.name(key, in: place)
        output.writer.write(value)
    }

    func encode(_ value: String, forKey key: Key) throws {
        try output.name(key, in: place)
        output.writer.write(quoted: value)
    }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        try output.name(key, in: place)
        try output.write(value)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
        let inner = output.nest(isObject: true) { try output.name(key, in: place) }
        return KeyedEncodingContainer(AnswerMembers<Nested>(output: output, place: inner))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        AnswerElements(output: output, place: output.nest(isObject: false) { try output.name(key, in: place) })
    }

    func superEncoder() -> any Encoder { AnswerSlot.nowhere(output) }
    func superEncoder(forKey key: Key) -> any Encoder { AnswerSlot.nowhere(output) }
}

private struct AnswerElements: UnkeyedEncodingContainer {
    let output: AnswerOutput
    let place: AnswerPlace

    var codingPath: [any CodingKey] { [] }
    var count: Int { output.count(of: place) }

    func encodeNil() throws {
        try output.advance(in: place)
        output.writer.write(literal: "null")
    }

    func encode(_ value: String) throws {
        try output.advance(in: place)
        output.writer.write(quoted: value)
    }

    func encode(_ value: some Encodable) throws {
        try output.advance(in: place)
        try output.write(value)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        let inner = output.nest(isObject: true) { try output.advance(in: place) }
        return KeyedEncodingContainer(AnswerMembers<Nested>(output: output, place: inner))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        AnswerElements(output: output, place: output.nest(isObject: false) { try output.advance(in: place) })
    }

    func superEncoder() -> any Encoder { AnswerSlot.nowhere(output) }
}

private struct AnswerScalar: SingleValueEncodingContainer {
    let slot: AnswerSlot

    var codingPath: [any CodingKey] { [] }

    private func fill(_ write: (inout JSONWriter) -> Void) throws {
        guard slot.isEmpty else { throw AnswerOutput.outOfTurn }
        write(&slot.output.writer)
    }

    func encodeNil() throws { try fill { $0.write(literal: "null") } }
    func encode(_ value: Bool) throws { try fill { $0.write(value) } }
    func encode(_ value: String) throws { try fill { $0.write(quoted: value) } }
    func encode(_ value: Double) throws { try fill { $0.write(value) } }
    func encode(_ value: Float) throws { try fill { $0.write(value) } }
    func encode(_ value: Int) throws { try fill { $0.write(value) } }
    func encode(_ value: Int8) throws { try fill { $0.write(value) } }
    func encode(_ value: Int16) throws { try fill { $0.write(value) } }
    func encode(_ value: Int32) throws { try fill { $0.write(value) } }
    func encode(_ value: Int64) throws { try fill { $0.write(value) } }
    func encode(_ value: UInt) throws { try fill { $0.write(value) } }
    func encode(_ value: UInt8) throws { try fill { $0.write(value) } }
    func encode(_ value: UInt16) throws { try fill { $0.write(value) } }
    func encode(_ value: UInt32) throws { try fill { $0.write(value) } }
    func encode(_ value: UInt64) throws { try fill { $0.write(value) } }

    func encode(_ value: some Encodable) throws {
        guard slot.isEmpty else { throw AnswerOutput.outOfTurn }
        try slot.output.write(value)
    }
}
