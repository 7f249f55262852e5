import CLibPQ

/// The binds of a statement in the form of libpq.
///
/// Integers are sent as text with a declared type, bytes in binary, texts with the type that the server infers.
struct PostgreSQLBinds {
    /// The declared types; 0 when the server infers one.
    let types: [Oid]
    private var bytes: [UInt8] = []
    private var offsets: [Int?] = []
    private var lengths: [CInt] = []
    private var formats: [CInt] = []

    private static let maximumCount = 65_535

    init(_ values: [SQLValue]) throws(PostgreSQLFailure) {
        guard values.count <= Self.maximumCount else {
            throw .refused(.other("a statement has \(values.count) binds, PostgreSQL takes \(Self.maximumCount)"))
        }
        types = values.map { value in
            switch value {
            case .null, .text: 0
            case .integer: PostgreSQLType.int8
            case .bytes: PostgreSQLType.bytea
            }
        }
        for value in values {
            switch value {
            case .null: appendNull()
            case .integer(let integer): append(String(integer).utf8, isBinary: false)
            case .text(let text):
                if text.utf8.contains(0) { throw .refused(.other("a text with the character U+0000 cannot be stored")) }
                append(text.utf8, isBinary: false)
            case .bytes(let bytes): append(bytes, isBinary: true)
            }
        }
    }

    private mutating func append(_ value: some Collection<UInt8>, isBinary: Bool) {
        offsets.append(bytes.count)
        lengths.append(CInt(value.count))
        formats.append(isBinary ? 1 : 0)
        bytes.append(contentsOf: value)
        // libpq reads values in text form up to their terminating zero.
        bytes.append(0)
    }

    private mutating func appendNull() {
        offsets.append(nil)
        lengths.append(0)
        formats.append(0)
    }

    /// Calls a function of libpq with the number of binds and its three lists.
    func send(
        _ body: (CInt, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<CInt>?, UnsafePointer<CInt>?) -> CInt
    ) -> CInt {
        bytes.withUnsafeBytes { buffer in
            let base = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            let values = offsets.map { offset in offset.flatMap { base?.advanced(by: $0) } }
            return body(CInt(values.count), values, lengths, formats)
        }
    }
}

/// Object ids of PostgreSQL's built-in types, the same in every database (pg_type.dat).
enum PostgreSQLType {
    static let bool: Oid = 16
    static let bytea: Oid = 17
    static let name: Oid = 19
    static let int8: Oid = 20
    static let int2: Oid = 21
    static let int4: Oid = 23
    static let text: Oid = 25
    static let bpchar: Oid = 1042
    static let varchar: Oid = 1043
    static let numeric: Oid = 1700
}
