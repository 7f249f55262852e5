import ArgumentParser
import Foundation
import Project
import Server
import Settings
import Storage
import Tokens

/// `postern backup`: copies of an SQLite database, made while the server runs.
struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy the SQLite database to a file while the server runs.",
        subcommands: [Make.self, Keygen.self],
        defaultSubcommand: Make.self
    )

    /// The settings name a store that is not a file.
    struct NotAFile: Error, CustomStringConvertible {
        let description = "database.url is not an SQLite file; only sqlite:PATH can be backed up"
    }

    /// `postern backup PLACE`.
    struct Make: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Copy the database to a new file, or to a file in a directory or an object store, named after the time.",
            discussion: """
                An object store speaks Amazon S3's API: s3://bucket/prefix, with backup.s3.* of the settings. \
                PostgreSQL has its own tools: pg_dump, or continuous archiving. The master key is not in a backup.
                """
        )

        @OptionGroup var config: ConfigOption
        @Argument(help: "The file to make, a directory that is there, or s3://bucket/prefix. Nothing is overwritten.")
        var place: String
        @Option(help: "Of a directory or prefix: remove all backups but so many of the newest.") var keep: Int?
        @Option(help: "Encrypt for this public key of postern backup keygen. Default: backup.recipient.") var recipient: String?
        @Option(name: .customLong("encrypt-to"), help: "Encrypt for the public key in this file.") var recipientFile: String?
        @Flag(help: "Print JSON.") var json = false

        func validate() throws {
            if let keep, keep < 1 { throw ValidationError("--keep must be at least 1") }
            if recipient != nil, recipientFile != nil { throw ValidationError("--recipient or --encrypt-to, not both") }
        }

        func run() async throws {
            let settings = try await config.settings()
            do {
                guard case .sqlite(let path) = settings.database.location else { throw NotAFile() }
                try StorePlace.requireDatabase(at: settings.database.location)
                let recipient = try key(settings.backup)
                if BackupBucket.isMeant(by: place) {
                    try await makeInBucket(settings, of: path, recipient)
                } else {
                    try await makeInFiles(of: path, recipient)
                }
            } catch {
                throw CommandFailure(error)
            }
        }

        private func makeInFiles(of path: String, _ recipient: BackupSeal.Recipient?) async throws {
            var isDirectory: ObjCBool = false
            let isThere = FileManager.default.fileExists(atPath: place, isDirectory: &isDirectory)
            let isInDirectory = isThere && isDirectory.boolValue
            guard isInDirectory || keep == nil else {
                throw CommandFailure("--keep needs a directory that is there, or s3://bucket/prefix")
            }
            let now = ServerEnvironment.systemClock()
            let file = isInDirectory ? BackupFile(in: place, at: now, isSealed: recipient != nil) : BackupFile(place)
            let bytes = try await file.make(of: path, for: recipient)
            let removed = try keep.map { try file.keep($0, at: now) } ?? []
            report(file.path, bytes, removed, isSealed: recipient != nil)
        }

        private func makeInBucket(_ settings: Settings, of path: String, _ recipient: BackupSeal.Recipient?) async throws {
            let bucket = try BackupBucket(place, settings)
            let now = ServerEnvironment.systemClock()
            let made = try await CommandSignals.cancelling {
                try await bucket.make(of: path, at: now, for: recipient)
            }
            var removed: [String] = []
            do {
                if let keep { removed = try await bucket.keep(keep, with: made.place, at: now) }
            } catch {
                throw CommandFailure("\(made.place) was made, but older backups were not all removed: \(error)")
            }
            report(made.place, made.bytes, removed, isSealed: recipient != nil)
        }

        private func key(_ settings: BackupSettings) throws -> BackupSeal.Recipient? {
            guard let recipientFile else {
                return try (recipient ?? settings.recipient).map { try BackupSeal.Recipient(text: $0) }
            }
            return try BackupSeal.Recipient(text: Backup.text(of: recipientFile))
        }

        private func report(_ path: String, _ bytes: Int64, _ removed: [String], isSealed: Bool) {
            if json {
                var answer: JSONValue = ["file": .string(path), "bytes": .integer(bytes)]
                if keep != nil { answer["removed"] = .array(removed.map(JSONValue.string)) }
                return print(answer.text)
            }
            print("\(path): \(bytes) bytes, checked\(isSealed ? ", encrypted" : "")")
            for path in removed { print("removed \(path)") }
        }
    }

    /// `postern backup keygen FILE`.
    struct Keygen: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a key for encrypted backups: the private half in a new file, the public half printed.",
            discussion: "Servers need the public half only. Keep the file elsewhere: without it, nobody opens the backups."
        )

        @Argument(help: "The file to make, mode 0600; one that exists is refused.") var file: String
        @Flag(help: "Print JSON.") var json = false

        func run() throws {
            let identity = BackupSeal.Identity()
            do {
                let handle = try PrivateFile.create(file)
                try handle.write(contentsOf: Data((identity.text + "\n").utf8))
                try handle.synchronize()
                try handle.close()
            } catch {
                throw CommandFailure(error)
            }
            let answer: JSONValue = ["file": .string(file), "recipient": .string(identity.recipient.text)]
            print(json ? answer.text : identity.recipient.text)
        }
    }

    private static let maximumKeyBytes = 1024

    static func text(of file: String) throws -> String {
        guard let handle = FileHandle(forReadingAtPath: file), let data = try handle.read(upToCount: maximumKeyBytes) else {
            throw CommandFailure("cannot read \(TerminalText.path(file))")
        }
        return String(decoding: data, as: UTF8.self)
    }
}
