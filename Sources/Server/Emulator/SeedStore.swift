import Accounts
import Console
import Foundation
import Project
import Settings
import Tenancy

/// The console's seed sets: directories of the form that `firebase emulators:export` writes, side by side in one directory.
struct SeedStore: ConsoleSeeds {
    let place: String?
    private let useCases: UseCases
    private let projectID: String
    private let isBusy = LockedState(false)

    private static let mostSets = 50
    // What was there before a set is loaded. No set has such a name.
    private static let beforeName = ".before"
    // Users who sign up between the removal and the load may have taken an address of the set.
    private static let tries = 3

    /// - Parameter settings: `development.seeds`; `seeds` beside an SQLite file otherwise.
    init(_ settings: Settings, useCases: UseCases) {
        self.useCases = useCases
        projectID = settings.project.id
        if let named = settings.development.seeds {
            place = named
        } else if case .sqlite(let path) = settings.database.location {
            place = URL(fileURLWithPath: path).deletingLastPathComponent().appending(path: "seeds").path
        } else {
            place = nil
        }
    }

    private var directory: EmulatorDirectory { EmulatorDirectory(useCases: useCases, projectID: projectID) }

    func all() throws -> [ConsoleSeed] {
        guard let place, FileManager.default.fileExists(atPath: place) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: place).filter(ConsoleSeed.isName).sorted().compactMap { name in
            guard let facts = try? FileManager.default.attributesOfItem(atPath: path(of: name, in: place)),
                facts[.type] as? FileAttributeType == .typeDirectory, EmulatorDirectory.isExport(path(of: name, in: place))
            else { return nil }
            let saved = facts[.modificationDate] as? Date
            return ConsoleSeed(name: name, savedAt: Timestamp(saved ?? Date(timeIntervalSince1970: 0)))
        }
    }

    func save(_ name: String) async throws {
        guard let place else { throw InvalidArgument("development.seeds names no directory") }
        guard ConsoleSeed.isName(name) else { throw InvalidArgument("a name has up to 40 small letters, digits and hyphens") }
        let present = try all()
        guard present.count < Self.mostSets || present.contains(where: { bytesEqual($0.name, name) }) else {
            throw InvalidArgument("there are \(Self.mostSets) sets; remove some first")
        }
        let mode: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true, attributes: mode)
        try await alone { _ = try await directory.write(path(of: name, in: place)) }
    }

    func load(_ name: String) async throws {
        let path = try existing(name)
        guard let before else { return }
        try await alone {
            guard !isUnfinished else {
                throw InvalidArgument("an earlier load did not end; bring its users back, or give them up")
            }
            _ = try await directory.write(before)
            do { try await replaceAccounts(by: path) } catch {
                // Where this fails, too, the users are still in the directory `.before`.
                try await replaceAccounts(by: before)
                try await Self.delete(before)
                throw error
            }
            try await Self.delete(before)
        }
    }

    var isUnfinished: Bool { before.map(EmulatorDirectory.isExport) ?? false }

    func bringBack() async throws {
        guard let before, isUnfinished else { throw InvalidArgument("every load has ended") }
        try await alone {
            try await replaceAccounts(by: before)
            try await Self.delete(before)
        }
    }

    func giveUp() async throws {
        guard let before, isUnfinished else { throw InvalidArgument("every load has ended") }
        try await alone { try await Self.delete(before) }
    }

    private var before: String? { place.map { path(of: Self.beforeName, in: $0) } }

    // Two at once would mix their sets.
    private func alone(_ body: () async throws -> Void) async throws {
        let isFree = isBusy.withLock { isBusy in
            defer { isBusy = true }
            return !isBusy
        }
        guard isFree else { throw InvalidArgument("another set is being saved or loaded") }
        defer { isBusy.withLock { $0 = false } }
        do { try await body() } catch let failure as EmulatorDirectory.Unusable { throw InvalidArgument(failure.description) }
    }

    func remove(_ name: String) async throws { try await Self.delete(try existing(name)) }

    private static func delete(_ path: String) async throws {
        try await FileWork.run { try FileManager.default.removeItem(atPath: path) }
    }

    private func replaceAccounts(by path: String) async throws {
        for left in (0..<Self.tries).reversed() {
            do { return try await replaceAccountsOnce(by: path) } catch let failure as EmulatorDirectory.Unusable {
                guard failure.rejected > 0, left > 0 else { throw failure }
            }
        }
    }

    private func replaceAccountsOnce(by path: String) async throws {
        let context = CallContext.commandLine(projectID: projectID, tenant: nil)
        let tenants = try await useCases.operators.configuration.tenants.list(pageSize: -1, pageToken: "", context: context)
        for tenant in tenants["tenants"]?.array ?? [] {
            guard let id = EmulatorDirectory.tenantID(of: tenant) else { continue }
            try await useCases.emulator.accountReset.reset(Scope(projectID: projectID, tenantID: id))
        }
        try await useCases.emulator.accountReset.reset(Scope(projectID: projectID))
        _ = try await directory.read(path)
    }

    // No name leads out of the directory.
    private func existing(_ name: String) throws -> String {
        guard let place, try all().contains(where: { bytesEqual($0.name, name) }) else {
            throw InvalidArgument("there is no such set")
        }
        return path(of: name, in: place)
    }

    private func path(of name: String, in place: String) -> String { URL(fileURLWithPath: place).appending(path: name).path }
}
