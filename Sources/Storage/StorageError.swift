import Project

/// The errors of a store, the same for every engine. No case contains a bound value.
package enum StorageError: Error, Equatable, Sendable {
    /// A unique index already has the value.
    ///
    /// `index` is the name of the index in `CREATE UNIQUE INDEX`. A primary key is `TABLE_pkey`, and a `UNIQUE` inside
    /// `CREATE TABLE` is `TABLE_COLUMN_COLUMN_key`. These are PostgreSQL's names; the SQLite engine derives them. A table has
    /// no two unique indexes on the same columns in the same order, because SQLite names only the columns.
    case uniqueViolation(index: String)
    /// A row refers to a missing row, or is still referred to.
    case foreignKeyViolation
    /// Too many transactions wait, or another process holds the store for too long. A later try may succeed.
    case busy
    /// The store cannot be reached or read. The text gives the reason.
    case unavailable(String)
    /// A commit got no answer: its connection broke, or its time was over. The write may or may not be stored, and is never repeated
    /// automatically.
    case outcomeUnknown
    /// The transaction or the store is read-only.
    case readOnly
    /// There is no space left.
    case full
    /// The schema is not the one that this binary needs. The text tells an operator what to do.
    case migration(String)
    /// A column is missing or has another type than requested.
    case decoding(column: String)
    /// The store has been closed.
    case closed
    /// Any other error, such as a statement that does not compile.
    case other(String)
}

extension StorageError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .uniqueViolation(let index): "the unique index \(index) has the value already"
        case .foreignKeyViolation: "a row refers to one that is not there"
        case .busy: "the store is busy"
        case .unavailable(let reason): "the store cannot be used: \(reason)"
        case .readOnly: "the store can only be read"
        case .full: "there is no space left for the store"
        case .migration(let problem): problem
        case .outcomeUnknown: "the commit got no answer; whether the change was made is unknown"
        case .decoding(let column): "the column \(column) is missing or holds another type"
        case .closed: "the store is closed"
        case .other(let problem): problem
        }
    }
}

extension StorageError: LoggedAtSource {
    /// Whether the store itself logs the error, once for many calls, because it befalls every call alike.
    package var isLoggedAtSource: Bool {
        switch self {
        case .busy, .unavailable, .outcomeUnknown, .readOnly, .full: true
        case .uniqueViolation, .foreignKeyViolation, .migration, .decoding, .closed, .other: false
        }
    }
}
