import Project

/// Reads the hash parameters of an import request, in Google's JSON: camel or snake case, null as absent, numbers as text,
/// enums by name or index (`Docs/Contract/conventions.md` §3).
struct HashParameters {
    private let members: JSONObject

    /// The longest key, separator or associated data, in bytes: ten times the usual lengths.
    static let maximumBytes = 1024

    init(_ object: JSONValue) { members = object.object ?? [:] }

    /// The raw member, `nil` when absent or null.
    func value(_ name: String) -> JSONValue? {
        let value = members[name] ?? members[MemberSpelling.snake(name)]
        if case .null = value { return nil }
        return value
    }

    /// A number in a range. An absent one is 0.
    func integer(_ name: String, in range: ClosedRange<Int>, or code: ErrorCode) throws -> Int {
        let number: Int64? =
            switch value(name) {
            case nil: 0
            case .integer(let number): number
            case .string(let text): Int64(text)
            default: nil
            }
        guard let number, let exact = Int(exactly: number), range.contains(exact) else {
            throw APIError(code, "\(name) must be between \(range.lowerBound) and \(range.upperBound)")
        }
        return exact
    }

    /// Base64, empty when absent.
    func bytes(_ name: String, or code: ErrorCode) throws -> [UInt8] {
        let bytes: [UInt8]? =
            switch value(name) {
            case nil: []
            case .string(let text): WireBase64.decode(text)
            // The Java SDK sends its byte arrays as lists of signed numbers.
            case .array(let elements): Self.bytes(elements)
            default: nil
            }
        guard let bytes, bytes.count <= Self.maximumBytes else {
            throw APIError(code, "\(name) must be base64 of at most \(Self.maximumBytes) bytes")
        }
        return bytes
    }

    /// The index of an enum's value. An absent one is 0, which is "unspecified".
    func enumeration(_ name: String, of names: [String], or code: ErrorCode) throws -> Int {
        let index: Int? =
            switch value(name) {
            case nil: 0
            case .integer(let number): Int(exactly: number)
            case .string(let text): names.firstIndex(of: text) ?? Int(text)
            default: nil
            }
        guard let index, names.indices.contains(index) else { throw APIError(code, "\(name) is unknown") }
        return index
    }

    /// The key that HMAC and Firebase's scrypt need.
    func signerKey() throws -> [UInt8] {
        let key = try bytes("signerKey", or: .invalidHashKey)
        guard !key.isEmpty else { throw APIError(.invalidHashKey, "signerKey is required") }
        return key
    }

    private static func bytes(_ elements: [JSONValue]) -> [UInt8]? {
        let bytes = elements.compactMap { element in
            element.integer.flatMap { number in UInt8(exactly: number) ?? Int8(exactly: number).map(UInt8.init(bitPattern:)) }
        }
        return bytes.count == elements.count ? bytes : nil
    }
}
