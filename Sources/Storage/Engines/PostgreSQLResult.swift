import CLibPQ

/// A statement's result, released with this object.
final class PostgreSQLResult {
    private let handle: OpaquePointer

    /// Takes ownership of a result of libpq.
    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { PQclear(handle) }

    /// The name of the command that ran, such as `COMMIT`, with its counts.
    var command: String { PQcmdStatus(handle).map { String(cString: $0) } ?? "" }

    /// The number of changes, as defined by `Transaction.execute`.
    var changes: Int {
        guard ["INSERT ", "UPDATE ", "DELETE "].contains(where: command.hasPrefix) else { return 0 }
        return PQcmdTuples(handle).flatMap { Int(String(cString: $0)) } ?? 0
    }

    /// Every row, in order.
    func rows() throws(StorageError) -> [Row] {
        let count = PQntuples(handle)
        guard count > 0 else { return [] }
        let indexes = 0..<PQnfields(handle)
        let names = indexes.map { index in PQfname(handle, index).map { String(cString: $0) } ?? "" }
        let types = indexes.map { PQftype(handle, $0) }
        var rows: [Row] = []
        rows.reserveCapacity(Int(count))
        for row in 0..<count {
            var values: [SQLValue] = []
            values.reserveCapacity(names.count)
            for index in indexes {
                guard let value = value(row, index, types[Int(index)]) else {
                    throw .decoding(column: names[Int(index)])
                }
                values.append(value)
            }
            rows.append(Row(columns: names, values: values))
        }
        return rows
    }

    /// One value; `nil` when the common dialect does not have its type.
    private func value(_ row: CInt, _ column: CInt, _ type: Oid) -> SQLValue? {
        if PQgetisnull(handle, row, column) == 1 { return .null }
        guard let start = PQgetvalue(handle, row, column) else { return nil }
        let utf8 = UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(handle, row, column)))
        switch type {
        case PostgreSQLType.text, PostgreSQLType.varchar, PostgreSQLType.bpchar, PostgreSQLType.name:
            return .text(String(decoding: utf8, as: UTF8.self))
        // PostgreSQL's sum of integers is a NUMERIC.
        case PostgreSQLType.int8, PostgreSQLType.int4, PostgreSQLType.int2, PostgreSQLType.numeric:
            return Int64(String(decoding: utf8, as: UTF8.self)).map(SQLValue.integer)
        case PostgreSQLType.bool: return .integer(utf8.first == UInt8(ascii: "t") ? 1 : 0)
        case PostgreSQLType.bytea: return bytes(start)
        default: return nil
        }
    }

    private func bytes(_ text: UnsafePointer<CChar>) -> SQLValue? {
        var count = 0
        let escaped = UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self)
        guard let start = PQunescapeBytea(escaped, &count) else { return nil }
        defer { PQfreemem(start) }
        return .bytes([UInt8](UnsafeBufferPointer(start: start, count: count)))
    }
}
