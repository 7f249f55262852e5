import Passwords
import Project

/// A JSON object of a request, read by Google's rules (`Docs/Contract/conventions.md` §3): names in camel or snake case, null as
/// absent, numbers where texts are declared, one value where a list is declared, enums by name or index, unknown members ignored.
///
/// Every accessor reads a member by a ``Shape`` and returns `nil` for an absent one. It throws ``TransportError`` for a member that
/// has the wrong shape or exceeds its ``FieldBounds``, so that rules receive only bounded values.
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

    private func value(_ name: String, as shape: @autoclosure () -> Shape) -> JSONValue? {
        if let recorder { return recorder.sample(at: place(name), as: shape()) }
        let value = members[name] ?? (hasSnakeCase ? members[MemberSpelling.snake(name)] : nil)
        if case .null = value { return nil }
        return value
    }

    private func place(_ name: String) -> String { "\(pointer)/\(name)" }

    private func read(_ name: String, as shape: @autoclosure () -> Shape) throws -> JSONValue? {
        try value(name, as: shape()).map { try Self.read($0, as: shape(), at: place(name)) }
    }

    private static func read(_ value: JSONValue, as shape: Shape, at place: @autoclosure () -> String) throws -> JSONValue {
        var value = value
        // Unlike in resources, fractions count as their text, too.
        if case .number(let number) = value, shape.isText { value = .string(String(number)) }
        do { return try shape.readAlone(value, at: place()) } catch let error as InvalidArgument {
            throw TransportError.invalidArgument(error.message)
        }
    }

    /// The present members among these names, unchanged.
    func members(_ names: [String]) -> JSONObject {
        names.reduce(into: [:]) { $0[$1] = value($1) }
    }

    /// Whether a member is present and null, for members where null differs from absent.
    func isNull(_ name: String) -> Bool { members[name] == .null }

    /// A text; numbers and booleans count as their text.
    func string(_ name: String) throws -> String? { try read(name, as: .member(name))?.string }

    /// A text; empty counts as absent.
    func text(_ name: String) throws -> String? { try string(name).flatMap { $0.isEmpty ? nil : $0 } }

    /// A text of at most this many characters, counted as Unicode scalars.
    func string(_ name: String, atMost length: Int) throws -> String? { try read(name, as: .shortText(length))?.string }

    /// A name or picture of a profile; the length is not limited in development (`Docs/Contract/conventions.md` §4.2).
    func profileText(_ name: String, atMost length: Int) throws -> String? {
        try isLenient ? string(name) : string(name, atMost: length)
    }

    /// A password. The text is taken unchanged, U+0000 included, because only its hash is stored; empty counts as absent.
    func password(_ name: String) throws -> String? {
        try read(name, as: .text(.password, bytes: PasswordHasher.maximumPasswordBytes))?.string.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A boolean.
    func bool(_ name: String) throws -> Bool? { try read(name, as: .bool)?.bool }

    /// A 64-bit integer, as a number or as decimal text.
    func integer(_ name: String) throws -> Int64? { try read(name, as: .int64)?.integer }

    /// A time in RFC 3339.
    func timestamp(_ name: String) throws -> Timestamp? {
        guard let text = try read(name, as: .text(.dateTime, bytes: FieldBounds.text))?.string, !text.isEmpty else { return nil }
        guard let time = Timestamp(rfc3339: text) else { throw wrong(name, "must match format \"date-time\"") }
        return time
    }

    /// A time in milliseconds, as a number or as decimal text, of the years 1 to 9999.
    func milliseconds(_ name: String) throws -> Timestamp? {
        guard let time = try integer(name).map({ Timestamp(milliseconds: $0) }) else { return nil }
        guard time.isOfCalendar else { throw wrong(name, "must be within the years 1 to 9999") }
        return time
    }

    /// A value of any kind except a list or object.
    func scalar(_ name: String) throws -> JSONValue? {
        let value = value(name)
        guard value?.array == nil, value?.object == nil else { throw wrong(name, "must be integer") }
        return value
    }

    /// An enum value, by name or by index.
    func enumeration(_ name: String, of names: [String]) throws -> String? { try read(name, as: .enumeration(names))?.string }

    /// An object.
    func object(_ name: String) throws -> ProtoObject? {
        try read(name, as: .anyObject)?.object.map { nested($0, at: place(name)) }
    }

    /// A list of texts; empty when absent.
    func strings(_ name: String) throws -> [String] {
        try elements(name, of: .text(bytes: FieldBounds.text)).compactMap(\.string)
    }

    /// A list of enum values, by name or by index (as a number or its text).
    ///
    /// - Parameter names: The enum's names in the order of their indexes.
    func enumerations(_ name: String, of names: [String]) throws -> [String] {
        try elements(name, of: .enumeration(names)).compactMap(\.string)
    }

    /// A list of objects; empty when absent.
    func objects(_ name: String) throws -> [ProtoObject] {
        try elements(name, of: .anyObject).enumerated().compactMap { index, element in
            element.object.map { nested($0, at: "\(place(name))/\(index)") }
        }
    }

    private func elements(_ name: String, of shape: Shape) throws -> [JSONValue] {
        let most = FieldBounds.elements(of: name)
        guard let value = value(name, as: .list(shape, atMost: most)) else { return [] }
        // Google's readers take one value for a list of one, and some clients send it.
        let elements = value.array ?? [value]
        guard elements.count <= most || FieldBounds.isLeftToRule(name) else {
            throw wrong(name, "must not have more than \(most) elements")
        }
        return try elements.enumerated().map { try Self.read($1, as: shape, at: "\(place(name))/\($0)") }
    }

    private func nested(_ members: JSONObject, at place: String) -> ProtoObject {
        recorder.map { ProtoObject(recordedBy: $0, pointer: place) } ?? ProtoObject(members, pointer: place)
    }

    /// An object with names of the client's choice and texts of at most this many characters; empty when absent.
    func texts(_ name: String, atMost length: Int) throws -> [String: String] {
        guard let members = try read(name, as: .anyObject)?.object else { return [:] }
        guard members.count <= FieldBounds.members else {
            throw wrong(name, "must not have more than \(FieldBounds.members) members")
        }
        let object = nested(members, at: place(name))
        return try members.keys.reduce(into: [:]) { texts, member in
            texts[member.text] = try object.string(member.text, atMost: length)
        }
    }

    /// Checks the shape of members that are declared but not used.
    func ignore(texts: [String] = [], booleans: [String] = []) throws {
        for name in texts { _ = try string(name) }
        for name in booleans { _ = try bool(name) }
    }

    private func wrong(_ name: String, _ problem: String) -> TransportError {
        TransportError.wrongShape(place(name), problem)
    }
}

extension Shape {
    fileprivate var isText: Bool {
        switch kind {
        case .text, .shortText: true
        default: false
        }
    }
}

/// A request body that reads itself from a JSON object.
protocol ProtoDecodable: Sendable {
    init(_ body: ProtoObject) throws
}
