/// The migrations of the SQLite engine, embedded in the binary: one line for each file of this folder.
package enum SQLiteMigrations {
    /// Version, name and text, in order.
    package static let all: [(version: Int, name: String, sql: [UInt8])] = [
        (1, "initial", PackageResources._001_initial_sql)
    ]
}
