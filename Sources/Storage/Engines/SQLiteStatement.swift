import GRDB
import GRDBSQLite
import Project

/// Runs statements on a connection.
///
/// Values are bound and read through SQLite's C interface, because GRDB's rows and arguments cost several times as much as the
/// statement itself. GRDB still begins and ends transactions, because it keeps track of them.
extension GRDB.Database {
    /// Runs a statement to its end and collects its rows.
    func rows(_ sql: SQL, isReadOnly: Bool = false) throws -> [Row] {
        try run(sql, isReadOnly: isReadOnly) { statement in
            let handle = statement.sqliteStatement
            var columns: [String]?
            var rows: [Row] = []
            while try step(handle) {
                // Before the first step, the statement may still be compiled for an older schema.
                let known = columns ?? columnNames(of: statement)
                columns = known
                rows.append(Row(columns: known, values: try values(of: handle, columns: known)))
            }
            return rows
        }
    }

    /// Runs a statement to its end and counts the rows that it changed.
    func changes(_ sql: SQL, isReadOnly: Bool = false) throws -> Int {
        try run(sql, isReadOnly: isReadOnly) { statement in
            let before = sqlite3_total_changes(sqliteConnection)
            while try step(statement.sqliteStatement) {}
            // For other statements than INSERT, UPDATE and DELETE, SQLite keeps the count of the last such statement.
            return sqlite3_total_changes(sqliteConnection) == before ? 0 : Int(sqlite3_changes(sqliteConnection))
        }
    }

    /// Runs a statement that begins or ends a transaction or savepoint.
    func control(_ text: String) throws {
        try run(SQL(stringLiteral: text), isReadOnly: false) { while try step($0.sqliteStatement) {} }
    }

    private func run<T>(_ sql: SQL, isReadOnly: Bool, _ body: (Statement) throws -> T) throws -> T {
        let statement = try SQLiteError.translating { try cachedStatement(sql: sql.text) }
        let handle = statement.sqliteStatement
        boundStatementCache(adding: handle)
        if isReadOnly, sqlite3_stmt_readonly(handle) == 0 { throw StorageError.readOnly }
        defer {
            sqlite3_reset(handle)
            // Neither secrets nor large values stay in the cache.
            sqlite3_clear_bindings(handle)
        }
        try bind(sql.binds, to: handle)
        return try withExtendedLifetime(statement) { try body(statement) }
    }

    /// Clears the statement cache at a size that the server's own statements do not reach. Statements with lists of varying
    /// length would otherwise fill it without end.
    private func boundStatementCache(adding handle: OpaquePointer) {
        guard sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_RUN, 0) == 0 else { return }
        var count = 0
        var next = sqlite3_next_stmt(sqliteConnection, nil)
        while let current = next {
            count += 1
            next = sqlite3_next_stmt(sqliteConnection, current)
        }
        if count > Self.maximumStatements { releaseMemory() }
    }

    static var maximumStatements: Int { 512 }

    private func step(_ handle: OpaquePointer) throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw SQLiteError.translate(code: code, on: self)
        }
    }

    private func columnNames(of statement: Statement) -> [String] {
        let handle = statement.sqliteStatement
        // SQLite compiles a statement again after a change of the schema, and `*` may then mean other columns than GRDB recorded.
        if sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0) == 0 { return statement.columnNames }
        return (0..<sqlite3_column_count(handle)).map { String(cString: sqlite3_column_name(handle, $0)) }
    }

    private func bind(_ binds: [SQLValue], to handle: OpaquePointer) throws {
        guard Int(sqlite3_bind_parameter_count(handle)) == binds.count else {
            throw StorageError.other("the statement has other placeholders than its \(binds.count) binds")
        }
        for (offset, value) in binds.enumerated() {
            let index = CInt(offset + 1)
            let code =
                switch value {
                case .null: sqlite3_bind_null(handle, index)
                case .integer(let integer): sqlite3_bind_int64(handle, index, integer)
                case .text(let text): try bind(text, to: handle, index)
                case .bytes(let bytes): bind(bytes, to: handle, index)
                }
            guard code == SQLITE_OK else { throw SQLiteError.translate(code: code, on: self) }
        }
    }

    private func bind(_ text: String, to handle: OpaquePointer, _ index: CInt) throws -> CInt {
        var text = text
        // PostgreSQL cannot store U+0000, so every engine refuses it.
        if text.hasNull { throw StorageError.other("a text with the character U+0000 cannot be stored") }
        return text.withUTF8 { utf8 in
            guard let start = utf8.baseAddress, !utf8.isEmpty else {
                return sqlite3_bind_text(handle, index, "", 0, sqliteCopies)
            }
            return start.withMemoryRebound(to: CChar.self, capacity: utf8.count) {
                sqlite3_bind_text64(handle, index, $0, UInt64(utf8.count), sqliteCopies, UInt8(SQLITE_UTF8))
            }
        }
    }

    private func bind(_ bytes: [UInt8], to handle: OpaquePointer, _ index: CInt) -> CInt {
        // A null address would bind NULL.
        if bytes.isEmpty { return sqlite3_bind_zeroblob(handle, index, 0) }
        return bytes.withUnsafeBytes {
            sqlite3_bind_blob64(handle, index, $0.baseAddress, UInt64($0.count), sqliteCopies)
        }
    }

    private func values(of handle: OpaquePointer, columns: [String]) throws -> [SQLValue] {
        var values: [SQLValue] = []
        values.reserveCapacity(columns.count)
        for index in columns.indices { values.append(try value(of: handle, at: CInt(index), columns: columns)) }
        return values
    }

    private func value(of handle: OpaquePointer, at index: CInt, columns: [String]) throws -> SQLValue {
        switch sqlite3_column_type(handle, index) {
        case SQLITE_NULL: return .null
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, index))
        case SQLITE_TEXT:
            // The address must be read before the length, because the first call may convert the text.
            let start = sqlite3_column_text(handle, index)
            let utf8 = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index)))
            return .text(String(decoding: utf8, as: UTF8.self))
        case SQLITE_BLOB:
            let start = sqlite3_column_blob(handle, index)
            return .bytes([UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index)))))
        default:
            // The common dialect has no floating-point numbers.
            throw StorageError.decoding(column: columns[Int(index)])
        }
    }
}

/// `SQLITE_TRANSIENT`: SQLite makes its own copy. Swift has no other form of C's cast of -1 to a function pointer.
private let sqliteCopies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
