import Settings
import Storage

/// How long the transactions of a store may take.
package enum StorePace: Sendable {
    /// Calls of clients, which are refused rather than left waiting.
    case calls
    /// A command, whose operator waits for large pieces of work.
    case command
    /// The same time for every kind of waiting.
    case patient(Duration)

    /// The limits of PostgreSQL.
    func limits(_ settings: DatabaseSettings) -> PostgreSQLDatabase.Limits {
        switch self {
        case .calls: .init(connections: settings.poolSize, answer: settings.answer, connect: settings.connect)
        case .command: .slow(connections: settings.poolSize)
        case .patient(let patience): .init(connections: settings.poolSize, patience: patience)
        }
    }

    /// How long to wait for another process that holds SQLite's file.
    var busyTimeout: Duration {
        if case .patient(let patience) = self { patience } else { SQLiteDatabase.usualBusyTimeout }
    }
}
