import GRDB

/// Translates SQLite's result codes into ``StorageError`` (sqlite.org/rescode.html).
enum SQLiteError {
    /// Runs a body and translates what it throws.
    static func translating<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as DatabaseError {
            throw translate(error)
        }
    }

    static func translate(_ error: DatabaseError) -> StorageError {
        switch error.extendedResultCode {
        case .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_ROWID:
            return .uniqueViolation(table: table(in: error.message ?? ""))
        case .SQLITE_CONSTRAINT_FOREIGNKEY: return .foreignKeyViolation
        default: break
        }
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: return .busy
        case .SQLITE_FULL: return .full
        case .SQLITE_READONLY: return .readOnly
        case .SQLITE_CANTOPEN, .SQLITE_IOERR, .SQLITE_NOTADB, .SQLITE_CORRUPT:
            return .unavailable("SQLite: \(error.message ?? "error \(error.resultCode.rawValue)")")
        case .SQLITE_MISUSE: return .closed
        default: return .other("SQLite: \(error.message ?? "error \(error.resultCode.rawValue)")")
        }
    }

    // "UNIQUE constraint failed: accounts.project_id, accounts.email"
    private static func table(in message: String) -> String {
        let columns = message.split(separator: ": ").last ?? ""
        return String(columns.prefix { $0 != "." })
    }
}
