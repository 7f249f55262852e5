/// What can go wrong in a store, in the same words for every engine. No case carries a bound value.
package enum StorageError: Error, Equatable, Sendable {
    /// A unique index has the value already.
    ///
    /// `index` is the name of the index as `CREATE UNIQUE INDEX` gave it. A primary key is `TABLE_pkey`, and a `UNIQUE` written
    /// inside `CREATE TABLE` is `TABLE_COLUMN_COLUMN_key`: PostgreSQL's names, which the SQLite engine works out. A table has no
    /// two unique indexes on the same columns in the same order, since SQLite names only the columns.
    case uniqueViolation(index: String)
    /// A row refers to one that is not there, or is still referred to.
    case foreignKeyViolation
    /// Too many wait, or another process holds the store for too long. Trying again later may help.
    case busy
    /// The store cannot be reached or read; the text says why.
    case unavailable(String)
    /// The connection broke while a write was being committed: it may be there or not. Never repeated by itself.
    case outcomeUnknown
    /// The transaction, or the store, can only be read.
    case readOnly
    /// There is no space left.
    case full
    /// The schema is not what this binary needs; the text says what an operator is to do.
    case migration(String)
    /// A column is missing or holds another type than was asked for.
    case decoding(column: String)
    /// The store has been closed.
    case closed
    /// Anything else, such as a statement that does not compile.
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
        case .outcomeUnknown: "the connection was lost during the commit; whether the change was made is unknown"
        case .decoding(let column): "the column \(column) is missing or holds another type"
        case .closed: "the store is closed"
        case .other(let problem): problem
        }
    }
}
