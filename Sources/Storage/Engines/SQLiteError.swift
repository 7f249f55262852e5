import GRDB

/// Translates SQLite's result codes into ``StorageError`` (sqlite.org/rescode.html).
///
/// SQLite's messages name tables, columns and syntax, never a bound value. The statements themselves are left out.
enum SQLiteError {
    /// Runs a body of engine calls and translates the errors of GRDB.
    static func translating<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as DatabaseError {
            throw translate(code: error.extendedResultCode, message: error.message ?? "")
        }
    }

    /// The error of a statement that has just failed on a connection.
    static func translate(code: CInt, on connection: GRDB.Database) -> StorageError {
        let message = connection.lastErrorMessage ?? ""
        return switch ResultCode(rawValue: code) {
        case .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_ROWID:
            .uniqueViolation(index: UniqueIndex.name(in: message, on: connection))
        default: translate(code: ResultCode(rawValue: code), message: message)
        }
    }

    private static func translate(code: ResultCode, message: String) -> StorageError {
        if code == .SQLITE_CONSTRAINT_FOREIGNKEY { return .foreignKeyViolation }
        return switch code.primaryResultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
        case .SQLITE_FULL: .full
        case .SQLITE_READONLY: .readOnly
        case .SQLITE_CANTOPEN, .SQLITE_IOERR, .SQLITE_NOTADB, .SQLITE_CORRUPT, .SQLITE_PERM, .SQLITE_NOMEM, .SQLITE_PROTOCOL:
            .unavailable("SQLite: \(message) (\(code.rawValue))")
        default: .other("SQLite: \(message) (\(code.rawValue))")
        }
    }
}

/// Finds the unique index of a constraint error. SQLite itself names only its columns.
private enum UniqueIndex {
    /// The index's name as ``StorageError/uniqueViolation(index:)`` defines it.
    ///
    /// The message is `UNIQUE constraint failed: accounts.project_id, accounts.email`, or `…: index 'name'` for an index on
    /// expressions.
    static func name(in message: String, on connection: GRDB.Database) -> String {
        let subject = message.split(separator: ": ", maxSplits: 1).last.map(String.init) ?? ""
        if subject.hasPrefix("index '") { return String(subject.dropFirst("index '".count).dropLast()) }
        let paths = subject.split(separator: ", ").map { $0.split(separator: ".", maxSplits: 1) }
        guard let table = paths.first?.first.map(String.init), paths.allSatisfy({ $0.count == 2 }) else { return subject }
        let columns = paths.map { String($0[1]) }
        var indexes: [String: (origin: String, columns: [String])] = [:]
        let rows = try? connection.rows(
            """
            SELECT l.name, l.origin, i.name AS column_name FROM pragma_index_list(\(table)) l, pragma_index_info(l.name) i
            WHERE l."unique" = 1 ORDER BY i.seqno
            """
        )
        for row in rows ?? [] {
            guard let name = try? row.text("name"), let origin = try? row.text("origin") else { continue }
            indexes[name, default: (origin, [])].columns.append((try? row.text("column_name")) ?? "")
        }
        let match = indexes.filter { $0.value.columns == columns }.min { $0.key < $1.key }
        switch match?.value.origin {
        case "c": return match?.key ?? subject
        case "u": return ([table] + columns + ["key"]).joined(separator: "_")
        // A primary key of one INTEGER column has no index of its own.
        default: return "\(table)_pkey"
        }
    }
}
