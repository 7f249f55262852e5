import Accounts
import Foundation
import HTTPAPI
import Project
import Tenancy
import UserFiles

/// The directory that `firebase emulators:export` writes, for development servers (`Docs/Contract/admin-accounts.md` §17.5).
struct EmulatorDirectory {
    let useCases: UseCases
    let projectID: String

    private static let folder = "auth_export"
    private static let metadataFile = "firebase-export-metadata.json"
    private static let configFile = "config.json"
    private static let accountsFile = "accounts.json"
    private static let emulatorVersion = "15.0.0"
    private static let maximumConfigBytes = 1 << 20
    private static let pageSize = 1000

    /// A directory that cannot be read or written, or an account in it that cannot be imported.
    struct Unusable: Error, CustomStringConvertible {
        let description: String
        /// How many accounts could not be imported, because others have their addresses, for example.
        let rejected: Int

        init(_ description: String, rejected: Int = 0) {
            self.description = description
            self.rejected = rejected
        }
    }

    private func context(_ tenant: String?) -> CallContext { .commandLine(projectID: projectID, tenant: tenant) }

    /// Imports a directory into the store.
    ///
    /// - Returns: How many accounts the export has, 0 if it is of other emulators only; `nil` when there is no export.
    func read(_ path: String) async throws -> Int? {
        let root = URL(fileURLWithPath: path, isDirectory: true)
        guard FileManager.default.fileExists(atPath: root.appending(path: Self.metadataFile).path) else { return nil }
        guard let auth = try Self.document(root.appending(path: Self.metadataFile))["auth"] else { return 0 }
        let name = auth["path"]?.string ?? Self.folder
        guard !name.isEmpty, !name.split(separator: "/").contains(".."), !name.hasPrefix("/") else {
            throw Unusable("\(path): auth.path leads out of the directory")
        }
        let folder = root.appending(path: name, directoryHint: .isDirectory)
        guard Self.isDirectory(folder) else { throw Unusable("\(path) has no directory \(name)") }
        let config = folder.appending(path: Self.configFile)
        if FileManager.default.fileExists(atPath: config.path) {
            _ = try await useCases.operators.configuration.project.updateEmulatorConfig(
                Self.document(config),
                context: context(nil)
            )
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        var total = 0
        for file in files {
            if file == Self.accountsFile {
                total += try await accounts(folder.appending(path: file).path, tenant: nil)
            } else if let match = file.wholeMatch(of: /accounts-(.+)\.json/) {
                total += try await accounts(folder.appending(path: file).path, tenant: String(match.1))
            }
        }
        return total
    }

    private func accounts(_ path: String, tenant: String?) async throws -> Int {
        // Development creates a tenant when it is first named.
        if tenant != nil { _ = try await useCases.operators.configuration.tenants.get(context(tenant)) }
        var importer = UserImporter(importing: useCases.operators.accountImport, context: context(tenant))
        importer.overwriting = .all
        importer.rights = .all
        var report = try ImportReport(path: nil)
        var counts = UserImporter.Counts()
        do {
            try await importer.importFile(try UserFile(firebaseJSON: path), counts: &counts, report: &report) { _, _ in }
        } catch {
            throw Unusable("\(path): \(error)")
        }
        guard counts.rejected == 0 else {
            throw Unusable("\(path): \(counts.rejected) accounts cannot be imported", rejected: counts.rejected)
        }
        return counts.rows
    }

    private static func document(_ url: URL) throws -> JSONValue {
        guard let handle = try? FileHandle(forReadingFrom: url),
            let data = try? handle.read(upToCount: maximumConfigBytes), let document = try? JSONValue.parse(data),
            document.object != nil
        else { throw Unusable("\(url.path) is not a JSON object") }
        return document
    }

    private static func isDirectory(_ url: URL) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) && isDirectory.boolValue
    }

    /// Whether an export is in a directory.
    static func isExport(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: URL(fileURLWithPath: path).appending(path: metadataFile).path)
    }

    /// Checks that ``write(_:)`` can put an export there.
    static func checkPlace(_ path: String) throws {
        let files = FileManager.default
        let place = URL(fileURLWithPath: path, isDirectory: true).standardizedFileURL
        if files.fileExists(atPath: place.path), !files.fileExists(atPath: place.appending(path: metadataFile).path) {
            guard let content = try? files.contentsOfDirectory(atPath: place.path), content.isEmpty else {
                throw Unusable("\(path) is there and is no export")
            }
        }
        let parent = place.deletingLastPathComponent()
        guard isDirectory(parent) else { throw Unusable("\(path) cannot be made: there is no directory \(parent.path)") }
        guard files.isWritableFile(atPath: parent.path) else {
            throw Unusable("\(path): nothing can be written to \(parent.path)")
        }
    }

    /// Checks that there is a directory for ``read(_:)``.
    ///
    /// - Parameter isMadeOnExit: Whether the directory may be missing at the first start, because the export on exit creates it.
    static func checkSource(_ path: String, isMadeOnExit: Bool) throws {
        let place = URL(fileURLWithPath: path, isDirectory: true)
        if isDirectory(place) { return }
        guard isMadeOnExit, !FileManager.default.fileExists(atPath: place.standardizedFileURL.path) else {
            throw Unusable("there is no directory \(path) to import")
        }
    }

    /// Writes the store's accounts and configuration as such a directory. It is written beside its place first and then moved
    /// there. It replaces an older export, except for the parts of other emulators. Other files are left unchanged.
    func write(_ path: String) async throws -> Int {
        try Self.checkPlace(path)
        let files = FileManager.default
        let place = URL(fileURLWithPath: path, isDirectory: true).standardizedFileURL
        let draft = place.deletingLastPathComponent().appending(path: ".\(place.lastPathComponent).\(UUID().uuidString)")
        let folder = draft.appending(path: Self.folder)
        defer { try? files.removeItem(at: draft) }
        try files.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let config = try await useCases.operators.configuration.project.emulatorConfig(context(nil))
        try await FileWork.run { try Self.write(config, to: folder.appending(path: Self.configFile)) }
        var total = try await write(nil, to: folder.appending(path: Self.accountsFile))
        let listed = try await useCases.operators.configuration.tenants.list(pageSize: -1, pageToken: "", context: context(nil))
        for tenant in listed["tenants"]?.array ?? [] {
            guard let id = Self.tenantID(of: tenant) else { continue }
            total += try await write(id, to: folder.appending(path: "accounts-\(id).json"))
        }
        try await FileWork.run { try Self.put(folder, into: place, replaced: draft.appending(path: "old")) }
        return total
    }

    /// The id of a tenant in a list.
    static func tenantID(of tenant: JSONValue) -> String? {
        tenant["tenantId"]?.string ?? tenant["name"]?.string?.split(separator: "/").last.map(String.init)
    }

    private static func put(_ folder: URL, into place: URL, replaced: URL) throws {
        let files = FileManager.default
        try files.createDirectory(at: place, withIntermediateDirectories: true)
        let metadataFile = place.appending(path: metadataFile)
        var metadata = (try? document(metadataFile)) ?? ["version": .string(emulatorVersion)]
        metadata["auth"] = ["version": .string(emulatorVersion), "path": .string(Self.folder)]
        let target = place.appending(path: Self.folder)
        let isReplaced = files.fileExists(atPath: target.path)
        if isReplaced { try files.moveItem(at: target, to: replaced) }
        do { try files.moveItem(at: folder, to: target) } catch {
            if isReplaced { try files.moveItem(at: replaced, to: target) }
            throw error
        }
        try metadata.serialized().write(to: metadataFile, options: .atomic)
    }

    private func write(_ tenant: String?, to url: URL) async throws -> Int {
        let file = try PrivateFile.create(url.path)
        var (count, token): (Int, String?) = (0, nil)
        var text = Data(#"{"kind":"identitytoolkit#DownloadAccountResponse","users":["#.utf8)
        repeat {
            let page = try await useCases.operators.listing.page(
                after: token,
                size: .atMost(Self.pageSize),
                context: context(tenant)
            )
            for view in page.accounts {
                var row = try view.userInfo()
                // With its parameters, the hash can be verified by a Postern with another default, and after an import.
                if let password = view.movedPassword { row["passwordParameters"] = password.parameters }
                text += Data((count == 0 ? "\n" : ",\n").utf8) + row.serialized()
                count += 1
            }
            try await FileWork.run { [text] in try file.write(contentsOf: text) }
            text = Data()
            token = page.nextToken
        } while token != nil
        try await FileWork.run {
            try file.write(contentsOf: Data("\n]}\n".utf8))
            try file.synchronize()
        }
        return count
    }

    private static func write(_ document: JSONValue, to url: URL) throws {
        let file = try PrivateFile.create(url.path)
        try file.write(contentsOf: document.serialized())
        try file.synchronize()
    }
}
