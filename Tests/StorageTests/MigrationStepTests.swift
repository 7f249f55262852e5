import Foundation
import Migrations
import Project
import Testing

@testable import Storage

@Suite("Steps of the schema", .timeLimit(.minutes(15)))
struct MigrationStepTests {
    @Test("every file of the folder is in the list, in order and unchanged")
    func complete() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Migrations/Steps").standardized
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        let own = files.filter { $0.hasSuffix(".postgresql.sql") }
        let shared = files.filter { !own.contains($0) }
        let listed = MigrationStep.all.map { step in
            String(repeating: "0", count: 4 - "\(step.version)".count) + "\(step.version)_\(step.name)"
        }
        #expect(listed.map { $0 + ".sql" } == shared)
        #expect(Set(own).isSubset(of: listed.map { $0 + ".postgresql.sql" }))
        for (step, name) in zip(MigrationStep.all, listed) {
            func text(_ file: String) throws -> String { try String(contentsOf: folder.appending(path: file), encoding: .utf8) }
            #expect(try step.sqlite == text(name + ".sql"))
            let override = name + ".postgresql.sql"
            #expect(try step.postgreSQL == text(own.contains(override) ? override : name + ".sql"))
        }
    }

    /// Every database has the hashes of the steps that it was migrated with: such a step must never change.
    @Test("those that were released have the text that they were released with, on either engine")
    func released() {
        func hash(_ text: (MigrationStep) -> String) -> String {
            let texts = MigrationStep.all.filter { $0.version <= 32 }.map(text)
            return hexadecimal(sha256(texts.map { hexadecimal(sha256($0.utf8)) }.joined().utf8))
        }
        #expect(hash(\.sqlite) == "36c21b1a749968279ebc55fa41b1021451ecb441365b7a91647a4ed1f6d8944b")
        #expect(hash(\.postgreSQL) == "9262219fe54fbfc3276cd7b647bdbacca4130e16021931d919c0a52ca1695d58")
    }

    @Test("apply to a new store, and again to itself")
    func apply() async throws {
        let database = try SQLiteDatabase(.memory, readers: 1, logger: quiet)
        #expect(try await Migrator.sqlite.migrate(database, now: 0).count == MigrationStep.all.count)
        #expect(try await Migrator.sqlite.migrate(database, now: 0).isEmpty)
        try await database.close()
    }
}
