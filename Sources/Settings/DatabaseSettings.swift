import Project

/// `database.*`: the store of the accounts.
package struct DatabaseSettings: Sendable {
    /// The three kinds of database.
    package enum Location: Sendable {
        /// A SQLite file.
        case sqlite(path: String)
        /// A SQLite database in memory, which is lost when the process ends.
        case sqliteMemory
        /// A libpq connection URI, which may hold a password.
        case postgresql(uri: Secret<String>)

        /// `nil` unless the text has one of the three forms.
        package init?(_ text: String) {
            guard text.isPlainText else { return nil }
            if text == "sqlite::memory:" {
                self = .sqliteMemory
            } else if text.hasPrefix("sqlite:") {
                let path = text.dropFirst("sqlite:".count)
                guard !path.isEmpty, path.first != ":" else { return nil }
                self = .sqlite(path: String(path))
            } else if text.hasPrefix("postgresql://") {
                self = .postgresql(uri: Secret(text))
            } else {
                return nil
            }
        }
    }

    /// The default path. Only its directory is created automatically.
    package static let defaultPath = "data/postern.sqlite"

    /// `database.url`.
    package let location: Location
    /// PostgreSQL connections, or SQLite readers.
    package let poolSize: Int
    /// How long PostgreSQL may take to answer a statement of a call.
    package let answer: Duration
    /// How long each host of PostgreSQL may take to accept a connection.
    package let connect: Duration

    init(_ reader: SettingsReader) {
        location =
            reader.optional(
                "url",
                .text("`sqlite:PATH`, `sqlite::memory:` or `postgresql://…`", isEchoed: false) { Location($0) },
                isSecret: true,
                otherwise: "`sqlite:data/postern.sqlite`",
                "where accounts are kept"
            )
            ?? .sqlite(path: Self.defaultPath)
        poolSize = reader.value(
            "poolSize",
            .integer(in: 1...1024),
            default: min(reader.surroundings.processors * 2, 1024),
            otherwise: "processors × 2",
            "PostgreSQL connections, SQLite readers"
        )
        answer = .seconds(
            reader.value(
                "answerSeconds",
                .integer(in: 1...600),
                default: 3,
                "time allowed to PostgreSQL for a statement of a request; then the connection is given up"
            )
        )
        connect = .seconds(
            reader.value(
                "connectSeconds",
                .integer(in: 2...60),
                default: 2,
                "time allowed to each host of PostgreSQL to accept a connection, unless the URL has `connect_timeout`"
            )
        )
    }
}
