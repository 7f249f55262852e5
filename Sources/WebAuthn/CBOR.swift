import Project

/// A CBOR data item, as far as WebAuthn uses them (RFC 8949, CTAP2 canonical form).
enum CBOR: Sendable, Hashable {
    case integer(Int64)
    case bytes([UInt8])
    case text(String)
    case array([CBOR])
    case map([CBOR: CBOR])
    case bool(Bool)
    case null

    /// The bytes are not an item that is read here. The reason is not given.
    struct Malformed: Error {}

    /// Reads one item that takes up all bytes.
    init(_ bytes: [UInt8]) throws {
        var reader = CBORReader(bytes[...])
        self = try reader.item()
        guard reader.rest.isEmpty else { throw Malformed() }
    }

    /// The member of a map with a text key.
    subscript(key: String) -> CBOR? { if case .map(let members) = self { members[.text(key)] } else { nil } }

    /// The member of a map with an integer key.
    subscript(key: Int64) -> CBOR? { if case .map(let members) = self { members[.integer(key)] } else { nil } }

    /// The number of members of a map; `nil` for other kinds.
    var memberCount: Int? { if case .map(let members) = self { members.count } else { nil } }

    var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    var bytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
    var text: String? { if case .text(let value) = self { value } else { nil } }
}

/// Reads items one after the other, strictly and within bounds (threat case PKY-08): definite lengths in their shortest form, no
/// tags, no floating point, no duplicate keys, limited depth and number of items, no reading past the end.
struct CBORReader {
    /// The bytes that are not read yet.
    private(set) var rest: ArraySlice<UInt8>
    private var itemsLeft = 128

    private static let maximumDepth = 8

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// Reads the next item.
    mutating func item() throws -> CBOR { try item(depth: 0) }

    private mutating func item(depth: Int) throws -> CBOR {
        itemsLeft -= 1
        guard depth <= Self.maximumDepth, itemsLeft >= 0 else { throw CBOR.Malformed() }
        let first = try byte()
        let (major, information) = (first >> 5, first & 31)
        if major == 7 { return try simple(information) }
        let argument = try argument(information)
        switch major {
        case 0: return .integer(argument)
        case 1: return .integer(-1 - argument)
        case 2: return .bytes(Array(try take(argument)))
        case 3:
            guard let text = String(validating: try take(argument), as: UTF8.self), StreamSafety.holds(for: text) else {
                throw CBOR.Malformed()
            }
            return .text(text)
        case 4:
            guard argument <= itemsLeft else { throw CBOR.Malformed() }
            return .array(try (0..<argument).map { _ in try item(depth: depth + 1) })
        case 5: return .map(try members(argument, depth: depth + 1))
        default: throw CBOR.Malformed()
        }
    }

    private mutating func members(_ count: Int64, depth: Int) throws -> [CBOR: CBOR] {
        guard count <= itemsLeft else { throw CBOR.Malformed() }
        var members: [CBOR: CBOR] = [:]
        for _ in 0..<count {
            let key = try item(depth: depth)
            guard key.integer != nil || key.text != nil, members[key] == nil else { throw CBOR.Malformed() }
            members[key] = try item(depth: depth)
        }
        return members
    }

    private func simple(_ information: UInt8) throws -> CBOR {
        switch information {
        case 20: .bool(false)
        case 21: .bool(true)
        case 22: .null
        default: throw CBOR.Malformed()
        }
    }

    // Only the shortest form is read, so that no item has two encodings; 31 would be an indefinite length.
    private mutating func argument(_ information: UInt8) throws -> Int64 {
        guard information >= 24 else { return Int64(information) }
        guard information <= 27 else { throw CBOR.Malformed() }
        let length = 1 << Int(information - 24)
        let value = try take(Int64(length)).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let least: UInt64 = length == 1 ? 24 : 1 << UInt64(length * 4)
        guard value >= least, let argument = Int64(exactly: value) else { throw CBOR.Malformed() }
        return argument
    }

    private mutating func byte() throws -> UInt8 {
        guard let byte = rest.popFirst() else { throw CBOR.Malformed() }
        return byte
    }

    private mutating func take(_ count: Int64) throws -> ArraySlice<UInt8> {
        guard count <= rest.count else { throw CBOR.Malformed() }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }
}
