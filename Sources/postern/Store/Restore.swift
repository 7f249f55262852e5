import ArgumentParser
import Foundation
import Project
import Server
import Settings
import Storage
import Tokens

/// `postern restore FILE`: tries a backup, or makes a database of it.
struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check a backup of an SQLite database, or make a database of it.",
        discussion: """
            --check opens the backup in a scratch directory, as a server would: integrity, schema, signing keys under the master key. \
            After --to, and before a server starts there, run postern keys rotate --after-restore.
            """
    )

    @OptionGroup var config: ConfigOption
    @Argument(help: "The backup: a file, or s3://bucket/prefix/name.") var file: String
    @Flag(help: "The newest backup of a directory, or of s3://bucket/prefix.") var latest = false
    @Flag(help: "Check it and leave nothing behind.") var check = false
    @Option(help: "The database to make; nothing is overwritten.") var to: String?
    @Option(help: "The file with the key of an encrypted backup.") var identity: String?
    @Option(
        help:
            "For --check: where there is room for the database, twice for one of an object store. Default: the system's temporary directory."
    ) var scratch: String?
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        guard check != (to != nil) else { throw ValidationError("either --check or --to PATH") }
    }

    func run() async throws {
        let settings = try await config.settings()
        do {
            let key = try identity.map { try BackupSeal.Identity(text: Backup.text(of: $0)) }
            let source = BackupSource(file, isLatest: latest, settings)
            if let to {
                let name = try await source.withFile(for: to) { backup, name in
                    try await backup.restore(to: to, with: key)
                    return name
                }
                let next = "postern keys rotate --after-restore"
                if json { return print(JSONValue.object(["database": .string(to), "backup": .string(name)]).text) }
                print("\(to): restored from \(name) and checked. Next: \(next)")
            } else {
                try await tryOut(source, settings, key)
            }
        } catch {
            throw CommandFailure(error)
        }
    }

    private func tryOut(_ source: BackupSource, _ settings: Settings, _ key: BackupSeal.Identity?) async throws {
        let parent = scratch.map { URL(filePath: $0) } ?? FileManager.default.temporaryDirectory
        let directory = parent.appending(path: "postern-restore-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: directory,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appending(path: "check.sqlite").path
        let name = try await source.withFile(for: path) { backup, name in
            try await backup.restore(to: path, with: key)
            return name
        }
        let environment = ServerEnvironment.live(http: OutboundHTTP { _, _ in throw OutboundError.forbiddenURL })
        let (database, applied) = try await Store.open(
            .sqlite(path: path),
            limits: .slow(connections: 1),
            at: environment.now(),
            logger: config.logger(settings)
        )
        do {
            let keys = try StoreKeys(settings, of: database, environment: environment)
            try await keys.ring.loadForCommand(makesKeys: false)
            report(name, try await StoreCopy.counts(database), applied, hasKeys: keys.ring.isLoaded)
        } catch {
            try? await database.close()
            throw error
        }
        try await database.close()
    }

    private func report(_ name: String, _ tables: [(table: String, rows: Int64)], _ applied: [Migration], hasKeys: Bool) {
        if json {
            let answer: JSONValue = [
                "backup": .string(name),
                "tables": .object(JSONObject(naming: tables.map { ($0.table, .integer($0.rows)) })),
                "migrations": .array(applied.map { .string($0.name) }), "signingKeysOpen": .bool(hasKeys),
            ]
            return print(answer.text)
        }
        for (table, rows) in tables { print("\(table): \(rows) rows") }
        if !applied.isEmpty {
            print("A server would bring the schema up to date: \(applied.map(\.name).joined(separator: ", "))")
        }
        let keys = hasKeys ? "its signing keys open with the master key" : "it has no signing keys of this mode"
        print("The backup \(name) is sound, and \(keys).")
    }
}
