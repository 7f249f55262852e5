package import Project

extension Row {
    /// A point in time, stored in milliseconds since the epoch.
    package func timestamp(_ column: String) throws -> Timestamp { Timestamp(milliseconds: try integer(column)) }

    /// See ``timestamp(_:)``; `nil` for null.
    package func timestampIfPresent(_ column: String) throws -> Timestamp? {
        try integerIfPresent(column).map(Timestamp.init(milliseconds:))
    }
}
