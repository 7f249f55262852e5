import Console
import Foundation
import Project
import Settings
import Storage
import Tokens

/// The console's backups: files of an SQLite database in one directory, named as `postern backup DIRECTORY` names them.
struct BackupDirectory: ConsoleBackups {
    private let source: String?
    let directory: String?
    let recipient: String?
    private let isOwnDirectory: Bool
    private let database: any Database
    private let environment: ServerEnvironment

    private static let mostBackups = 50

    init(_ settings: Settings, database: any Database, environment: ServerEnvironment) {
        self.database = database
        self.environment = environment
        isOwnDirectory = settings.backup.directory == nil
        recipient = settings.backup.recipient
        guard case .sqlite(let path) = settings.database.location else {
            (source, directory) = (nil, nil)
            return
        }
        source = path
        let beside = URL(fileURLWithPath: path).deletingLastPathComponent().appending(path: "backups").path
        directory = settings.backup.directory ?? beside
    }

    func all() throws -> [ConsoleBackup] {
        guard let directory, FileManager.default.fileExists(atPath: directory) else { return [] }
        let names = try FileManager.default.contentsOfDirectory(atPath: directory).filter { BackupFile.isName($0[...]) }
        return names.sorted(by: >).compactMap { name in
            guard let facts = try? FileManager.default.attributesOfItem(atPath: path(of: name, in: directory)),
                facts[.type] as? FileAttributeType == .typeRegular
            else { return nil }
            let made = facts[.modificationDate] as? Date
            return ConsoleBackup(
                name: name,
                bytes: (facts[.size] as? NSNumber)?.int64Value ?? 0,
                madeAt: Timestamp(made ?? Date(timeIntervalSince1970: 0)),
                isSealed: name.hasSuffix(BackupFile.sealedSuffix)
            )
        }
    }

    func make(_ context: CallContext) async throws -> String {
        guard let source, let directory else { throw ConsoleBackupRefused("the store is not an SQLite file") }
        guard try all().count < Self.mostBackups else {
            throw ConsoleBackupRefused("there are \(Self.mostBackups) backups; remove some first")
        }
        if isOwnDirectory {
            let mode: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true, attributes: mode)
        }
        let key = try recipient.map { try BackupSeal.Recipient(text: $0) }
        let file = BackupFile(in: directory, at: environment.now(), isSealed: key != nil)
        let bytes: Int64
        do { bytes = try await file.make(of: source, for: key) } catch let failure as SQLiteBackup.Failure {
            throw ConsoleBackupRefused(failure.description)
        } catch let failure as StorePlace.NoDirectory {
            throw ConsoleBackupRefused("\(failure)")
        }
        let name = URL(fileURLWithPath: file.path).lastPathComponent
        try await record(.backupMade, name, ["bytes": .integer(bytes), "encrypted": .bool(key != nil)], context)
        return name
    }

    func verify(_ name: String) async throws {
        let path = try existing(name)
        do { try await SQLiteBackup.verify(path) } catch let failure as SQLiteBackup.Failure {
            throw ConsoleBackupRefused(failure.description)
        } catch let failure as StorageError {
            throw ConsoleBackupRefused("it cannot be read as a database: \(failure.plainText)")
        }
    }

    func open(
        _ name: String,
        also part: @escaping TransactionPart,
        _ context: CallContext
    ) async throws -> (file: FileHandle, bytes: Int64) {
        let path = try existing(name)
        guard let file = FileHandle(forReadingAtPath: path) else { throw ConsoleBackupRefused("it cannot be read") }
        let bytes = Int64(try file.seekToEnd())
        try file.seek(toOffset: 0)
        try await record(.backupDownloaded, name, ["bytes": .integer(bytes)], also: part, context)
        return (file, bytes)
    }

    func remove(_ name: String, _ context: CallContext) async throws {
        let path = try existing(name)
        try await record(.backupRemoved, name, [:], context)
        try await FileWork.run { try FileManager.default.removeItem(atPath: path) }
    }

    // Only names that Postern gives lead to a file, and no name leads out of the directory.
    private func existing(_ name: String) throws -> String {
        guard let directory, BackupFile.isName(name[...]), try all().contains(where: { bytesEqual($0.name, name) }) else {
            throw ConsoleBackupRefused("there is no such backup")
        }
        return path(of: name, in: directory)
    }

    private func path(of name: String, in directory: String) -> String {
        URL(fileURLWithPath: directory).appending(path: name).path
    }

    private func record(
        _ event: AuditEvent.Kind,
        _ name: String,
        _ facts: JSONObject,
        also part: TransactionPart? = nil,
        _ context: CallContext
    ) async throws {
        var detail = facts
        detail["file"] = .string(name)
        let record = context.auditEvent(event, .object(detail), by: environment)
        try await database.write { transaction throws in
            try part?(transaction)
            try transaction.insertAuditEvent(context.scope, record)
        }
    }
}
