import ArgumentParser
import Project
import Server
import Settings
import Storage

/// `postern backup FILE`: a copy of an SQLite database, made while the server runs.
struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy the SQLite database to a file while the server runs.",
        discussion: "PostgreSQL has its own tools: pg_dump, or continuous archiving. The master key is not in a backup."
    )

    @OptionGroup var config: ConfigOption
    @Argument(help: "The file to make; one that exists is refused.") var file: String
    @Flag(help: "Print JSON.") var json = false

    /// The settings name a store that is not a file.
    struct NotAFile: Error, CustomStringConvertible {
        let description = "database.url is not an SQLite file; only sqlite:PATH can be backed up"
    }

    func run() async throws {
        let settings = try await config.settings()
        do {
            guard case .sqlite(let path) = settings.database.location else { throw NotAFile() }
            try StorePlace.requireDatabase(at: settings.database.location)
            try StorePlace.requireDirectory(of: file)
            let bytes = try await SQLiteBackup.copy(path, to: file)
            let answer: JSONValue = ["file": .string(file), "bytes": .integer(bytes)]
            print(json ? answer.text : "\(file): \(bytes) bytes, checked")
        } catch {
            throw CommandFailure(error)
        }
    }
}
