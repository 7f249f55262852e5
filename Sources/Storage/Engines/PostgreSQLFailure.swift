import CLibPQ

/// What became of a statement that did not succeed, as far as the next step depends on it
/// (postgresql.org/docs/current/errcodes-appendix.html).
enum PostgreSQLFailure: Error, Equatable {
    /// It cannot succeed by being repeated.
    case refused(StorageError)
    /// Another transaction was in the way; the same body may succeed when it runs again.
    case conflict
    /// A prepared statement no longer fits the schema.
    case staleStatement
    /// The connection is gone, and with it the transaction.
    case lost(String)
    /// The connection went while the server was asked to commit: the write may be there or not.
    case unknown

    /// The same failure, where it means that the server takes no writes: a standby, which another connection may not lead to.
    var ofWriter: PostgreSQLFailure {
        if case .refused(.readOnly) = self { return .lost("the server takes no writes") }
        return self
    }

    /// What the seam's callers are told.
    var storageError: StorageError {
        switch self {
        case .refused(let error): error
        case .conflict: .busy
        case .staleStatement: .other("PostgreSQL: a prepared statement does not fit the schema")
        case .lost(let reason): .unavailable("PostgreSQL: \(reason)")
        case .unknown: .outcomeUnknown
        }
    }

    /// Why, for the log.
    var reason: String {
        if case .lost(let reason) = self { reason } else { "\(storageError)".replacing("PostgreSQL: ", with: "") }
    }

    /// The failure that a result stands for.
    init(result: OpaquePointer) {
        func field(_ code: Character) -> String {
            PQresultErrorField(result, CInt(code.asciiValue ?? 0)).map { String(cString: $0) } ?? ""
        }
        let message = field("M")
        // Untranslated severity: what is fatal ends the connection. Errors of libpq's own have no state, and mean the same.
        let isFatal = ["FATAL", "PANIC"].contains(field("V")) || field("C").isEmpty
        self.init(state: field("C"), isFatal: isFatal, message: message, constraint: field("n"))
    }

    /// - Parameters:
    ///   - state: The SQLSTATE, empty for an error of libpq's own.
    ///   - isFatal: Whether the connection ended with it.
    ///   - message: The primary message, which names no row; its detail would.
    ///   - constraint: The constraint that was violated.
    init(state: String, isFatal: Bool, message: String, constraint: String) {
        let ended = ["57P01", "57P02", "57P03"].contains(state) || state.hasPrefix("08")
        // A prepared statement that is missing, or there already: this is not the session that the connection was.
        let isForeign = ["26000", "42P05"].contains(state)
        if isFatal || ended || isForeign {
            self = .lost(message.isEmpty ? "the connection was lost" : message)
            return
        }
        switch state {
        case "40001", "40P01": self = .conflict
        // CockroachDB's word for a commit whose fate it does not know.
        case "40003": self = .unknown
        case "0A000" where message.hasPrefix("cached plan"): self = .staleStatement
        default: self = .refused(Self.translate(state, message, constraint))
        }
    }

    private static func translate(_ state: String, _ message: String, _ constraint: String) -> StorageError {
        switch state {
        case "23505": .uniqueViolation(index: constraint)
        case "23503", "23001": .foreignKeyViolation
        // Statement timeout and lock timeout.
        case "57014", "55P03": .busy
        case "25006": .readOnly
        case "53100": .full
        case let state where state.hasPrefix("53") || state.hasPrefix("58"): .unavailable("PostgreSQL: \(message) (\(state))")
        // Messages about data quote it.
        case let state where state.hasPrefix("22"): .other("PostgreSQL: a value does not fit (\(state))")
        default: .other("PostgreSQL: \(message) (\(state))")
        }
    }
}
