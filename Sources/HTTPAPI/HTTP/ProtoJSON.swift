import Project

/// A JSON object of a request, read by Google's rules (`Docs/Contract/conventions.md` §3): names in camel or snake case, null as
/// absent, numbers where texts are declared, one value where a list is declared, enums by name or index, unknown members ignored.
///
/// Every accessor returns `nil` for an absent member. It throws ``TransportError`` for a member that has the wrong shape or
/// exceeds its ``FieldBounds``, so that rules receive only bounded values.
struct ProtoObject: Sendable {
    private let members: JSONObject
    private let pointer: String
    /// Whether any member is in snake case. If not, which is usual, that spelling is not looked up.
    private let hasSnakeCase: Bool
    /// Whether profile texts may have any length, as in development.
    private let isLenient: Bool
    /// Records what is read; `nil` for real requests.
    private let recorder: FieldRecorder?

    /// - Parameters:
    ///   - pointer: The object's place in the body, as a JSON pointer.
    ///   - isLenient: Whether profile texts may have any length, as in development.
    init(_ members: JSONObject, pointer: String = "", isLenient: Bool = false) {
        self.isLenient = isLenient
        self.members = members
        self.pointer = pointer
        hasSnakeCase = members.contains { $0.key.text.utf8.contains(UInt8(ascii: "_")) }
        recorder = nil
    }

    /// Makes an object that only records what is read.
    init(recordedBy recorder: FieldRecorder, pointer: String = "") {
        isLenient = false
        members = [:]
        self.pointer = pointer
        hasSnakeCase = false
        self.recorder = recorder
    }

    /// The raw member; `nil` when absent or null.
    func value(_ name: String) -> JSONValue? { value(name, as: .any) }

    private func value(_ name: String, as kind: FieldKind) -> JSONValue? {
        if let recorder { return recorder.sample(at: "\(pointer)/\(name)", as: kind) }
        let value = members[name] ?? (hasSnakeCase ? members[Self.snakeCase(name)] : nil)
        if case .null = value { return nil }
        return value
    }

    /// The present members among these names, unchanged.
    func members(_ names: [String]) -> JSONObject {
        names.reduce(into: [:]) { $0[$1] = value($1) }
    }

    /// Whether a member is present and null, for members where null differs from absent.
    func isNull(_ name: String) -> Bool { members[name] == .null }

    /// A time in RFC 3339.
    func timestamp(_ name: String) throws -> Timestamp? {
        guard let text = try string(value(name, as: .time), name, bytes: FieldBounds.text), !text.isEmpty else { return nil }
        guard let time = Timestamp(rfc3339: text) else { throw wrong(name, "must match format \"date-time\"") }
        return time
    }

    /// A time in milliseconds, as a number or as decimal text, of the years 1 to 9999.
    func milliseconds(_ name: String) throws -> Timestamp? {
        guard let time = try integer(name).map({ Timestamp(milliseconds: $0) }) else { return nil }
        guard time.isOfCalendar else { throw wrong(name, "must be within the years 1 to 9999") }
        return time
    }

    /// A text; numbers and booleans count as their text.
    func string(_ name: String) throws -> String? {
        try string(value(name, as: .string), name, bytes: FieldBounds.bytes(of: name))
    }

    private func string(_ value: JSONValue?, _ name: String, bytes: Int) throws -> String? {
        guard let value else { return nil }
        guard let text = Self.text(value) else { throw wrong(name, "must be string") }
        return try Self.storable(text, at: "\(pointer)/\(name)", bytes: bytes)
    }

    // Numbers and booleans count as their text.
    private static func text(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text): text
        case .integer(let number): String(number)
        case .number(let number): String(number)
        case .bool(let flag): String(flag)
        default: nil
        }
    }

    /// A value of any kind except a list or object.
    func scalar(_ name: String) throws -> JSONValue? {
        let value = value(name)
        guard value?.array == nil, value?.object == nil else { throw wrong(name, "must be integer") }
        return value
    }

    /// A password. The text is taken unchanged, U+0000 included, because only its hash is stored; empty counts as absent.
    func password(_ name: String) throws -> String? {
        guard let value = value(name, as: .password) else { return nil }
        guard let text = Self.text(value) else { throw wrong(name, "must be string") }
        return text.isEmpty ? nil : text
    }

    /// A text; empty counts as absent.
    func text(_ name: String) throws -> String? { try string(name).flatMap { $0.isEmpty ? nil : $0 } }

    /// A text of at most this many characters, counted as Unicode scalars, because visible characters have no fixed size.
    func string(_ name: String, atMost length: Int) throws -> String? {
        // Only characters are counted, so that a long text gets the error about characters.
        let text = try string(value(name, as: .shortString(length)), name, bytes: .max)
        guard (text?.unicodeScalars.count ?? 0) <= length else {
            throw wrong(name, "must not have more than \(length) characters")
        }
        return text
    }

    /// A name or picture of a profile; the length is not limited in development (`Docs/Contract/conventions.md` §4.2).
    func profileText(_ name: String, atMost length: Int) throws -> String? {
        try isLenient ? string(name) : string(name, atMost: length)
    }

    /// Checks the shape of members that are declared but not used.
    func ignore(texts: [String] = [], booleans: [String] = []) throws {
        for name in texts { _ = try string(name) }
        for name in booleans { _ = try bool(name) }
    }

    // Stores cannot keep the character U+0000 in a text.
    private static func storable(_ text: String, at pointer: String, bytes: Int) throws -> String {
        guard text.utf8.count <= bytes else {
            throw TransportError.wrongShape(pointer, "must not have more than \(bytes) bytes")
        }
        if text.hasNull { throw TransportError.wrongShape(pointer, "must not contain the character U+0000") }
        return text
    }

    func bool(_ name: String) throws -> Bool? {
        switch value(name, as: .bool) {
        case nil: nil
        case .bool(let flag): flag
        case .string("true"): true
        case .string("false"): false
        default: throw wrong(name, "must be boolean")
        }
    }

    /// A 64-bit integer, as a number or as decimal text.
    func integer(_ name: String) throws -> Int64? {
        switch value(name, as: .integer) {
        case nil: return nil
        case .integer(let number): return number
        case .number(let number):
            guard let whole = Int64(exactly: number) else { throw wrong(name, "must be integer") }
            return whole
        case .string(let text):
            guard let number = Int64(text) else { throw wrong(name, "must be integer") }
            return number
        default: throw wrong(name, "must be integer")
        }
    }

    /// A list of texts; empty when absent.
    func strings(_ name: String) throws -> [String] {
        try elements(name, as: .strings).enumerated().map { index, element in
            let place = "\(pointer)/\(name)/\(index)"
            guard let text = Self.text(element) else { throw TransportError.wrongShape(place, "must be string") }
            return try Self.storable(text, at: place, bytes: FieldBounds.text)
        }
    }

    func object(_ name: String) throws -> ProtoObject? {
        guard let value = value(name, as: .object) else { return nil }
        guard let members = value.object else { throw wrong(name, "must be object") }
        return nested(members, at: "\(pointer)/\(name)")
    }

    /// A list of objects; empty when absent.
    func objects(_ name: String) throws -> [ProtoObject] {
        try elements(name, as: .objects).enumerated().map { index, element in
            let place = "\(pointer)/\(name)/\(index)"
            guard let members = element.object else { throw TransportError.wrongShape(place, "must be object") }
            return nested(members, at: place)
        }
    }

    private func nested(_ members: JSONObject, at place: String) -> ProtoObject {
        recorder.map { ProtoObject(recordedBy: $0, pointer: place) } ?? ProtoObject(members, pointer: place)
    }

    /// An enum value, by name or by index.
    func enumeration(_ name: String, of names: [String]) throws -> String? {
        guard let value = value(name, as: .enumeration(names)) else { return nil }
        guard let known = Self.enumerated(value, names) else { throw wrong(name, "must be equal to one of the allowed values") }
        return known
    }

    private static func enumerated(_ value: JSONValue, _ names: [String]) -> String? {
        switch value {
        case .string(let text) where names.contains(text): text
        case .string(let text): Int(text).flatMap { names.indices.contains($0) ? names[$0] : nil }
        case .integer(let number): names.indices.contains(Int(clamping: number)) ? names[Int(clamping: number)] : nil
        default: nil
        }
    }

    /// A list of enum values, by name or by index (as a number or its text).
    ///
    /// - Parameter names: The enum's names in the order of their indexes.
    func enumerations(_ name: String, of names: [String]) throws -> [String] {
        try elements(name, as: .enumerations(names)).enumerated().map { index, element in
            guard let known = Self.enumerated(element, names) else {
                throw TransportError.wrongShape("\(pointer)/\(name)/\(index)", "must be equal to one of the allowed values")
            }
            return known
        }
    }

    private func elements(_ name: String, as kind: FieldKind) throws -> [JSONValue] {
        guard let value = value(name, as: kind) else { return [] }
        // Google's readers take one value for a list of one, and some clients send it.
        let elements = value.array ?? [value]
        let most = FieldBounds.elements(of: name)
        guard elements.count <= most || FieldBounds.isLeftToRule(name) else {
            throw wrong(name, "must not have more than \(most) elements")
        }
        return elements
    }

    /// An object with names of the client's choice and texts of at most this many characters; empty when absent.
    func texts(_ name: String, atMost length: Int) throws -> [String: String] {
        guard let value = value(name, as: .object) else { return [:] }
        guard let members = value.object else { throw wrong(name, "must be object") }
        guard members.count <= FieldBounds.members else {
            throw wrong(name, "must not have more than \(FieldBounds.members) members")
        }
        let object = nested(members, at: "\(pointer)/\(name)")
        return try members.keys.reduce(into: [:]) { texts, member in
            texts[member.text] = try object.string(member.text, atMost: length)
        }
    }

    private func wrong(_ name: String, _ problem: String) -> TransportError {
        TransportError.wrongShape("\(pointer)/\(name)", problem)
    }

    /// Converts `idToken` to `id_token`.
    static func snakeCase(_ name: String) -> String {
        var text: [UInt8] = []
        for byte in name.utf8 {
            let isUpperCase = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            if isUpperCase { text.append(UInt8(ascii: "_")) }
            text.append(isUpperCase ? byte | 0x20 : byte)
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// A request body that reads itself from a JSON object.
protocol ProtoDecodable: Sendable {
    init(_ body: ProtoObject) throws
}
