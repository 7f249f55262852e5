import CLibPQ

/// The failure of a statement, as far as the next step depends on it (postgresql.org/docs/current/errcodes-appendix.html).
enum PostgreSQLFailure: Error, Equatable {
    /// Repeating the statement cannot succeed.
    case refused(StorageError)
    /// Another transaction conflicted. The same body may succeed when it runs again.
    case conflict
    /// Another transaction held a lock for too long. Where two wait for each other, both may be told so at once.
    case locked
    /// A prepared statement no longer fits the schema.
    case staleStatement
    /// The connection is gone, and with it the transaction.
    case lost(String)
    /// The server did not answer in time, so its connection is given up. Another try would wait as long again.
    case silent(for: Duration)
    /// The server did not answer as soon as the call needed it. It is not known to be silent, so that its connection stays.
    case late
    /// A commit got no answer. The write may or may not be stored.
    case unknown

    /// The same failure for a writer. A read-only server counts as a lost connection, because it is a standby and another
    /// connection may lead elsewhere.
    var ofWriter: PostgreSQLFailure {
        if case .refused(.readOnly) = self { return .lost("the server takes no writes") }
        return self
    }

    /// The error for callers of the engine.
    var storageError: StorageError {
        switch self {
        case .refused(let error): error
        case .conflict, .locked, .late: .busy
        case .staleStatement: .other("PostgreSQL: a prepared statement does not fit the schema")
        case .lost(let reason): .unavailable("PostgreSQL: \(reason)")
        case .silent(let time): .unavailable("PostgreSQL: the server has not answered for \(time)")
        case .unknown: .outcomeUnknown
        }
    }

    /// The reason, for the log.
    var reason: String {
        if case .lost(let reason) = self { reason } else { "\(storageError)".replacing("PostgreSQL: ", with: "") }
    }

    /// Reads the failure from a result.
    init(result: OpaquePointer) {
        func field(_ code: Character) -> String {
            PQresultErrorField(result, CInt(code.asciiValue ?? 0)).map { String(cString: $0) } ?? ""
        }
        let message = field("M")
        // The untranslated severity: fatal errors end the connection. Errors of libpq itself have no state and count as fatal.
        let isFatal = ["FATAL", "PANIC"].contains(field("V")) || field("C").isEmpty
        self.init(state: field("C"), isFatal: isFatal, message: message, constraint: field("n"))
    }

    /// - Parameters:
    ///   - state: The SQLSTATE; empty for an error of libpq itself.
    ///   - message: The primary message, which names no row. The detail is left out, because it would.
    init(state: String, isFatal: Bool, message: String, constraint: String) {
        let ended = ["57P01", "57P02", "57P03"].contains(state) || state.hasPrefix("08")
        // A missing or duplicate prepared statement shows that the server session has changed.
        let isForeign = ["26000", "42P05"].contains(state)
        if isFatal || ended || isForeign {
            self = .lost(message.isEmpty ? "the connection was lost" : message)
            return
        }
        switch state {
        case "40001", "40P01": self = .conflict
        case "55P03": self = .locked
        // CockroachDB's code for a commit whose outcome it does not know.
        case "40003": self = .unknown
        case "0A000" where message.hasPrefix("cached plan"): self = .staleStatement
        default: self = .refused(Self.translate(state, message, constraint))
        }
    }

    private static func translate(_ state: String, _ message: String, _ constraint: String) -> StorageError {
        switch state {
        case "23505": .uniqueViolation(index: constraint)
        case "23503", "23001": .foreignKeyViolation
        // Statement timeout.
        case "57014": .busy
        case "25006": .readOnly
        case "53100": .full
        case let state where state.hasPrefix("53") || state.hasPrefix("58"): .unavailable("PostgreSQL: \(message) (\(state))")
        // Messages about data quote the data.
        case let state where state.hasPrefix("22"): .other("PostgreSQL: a value does not fit (\(state))")
        default: .other("PostgreSQL: \(message) (\(state))")
        }
    }
}
