import Foundation
import Storage
import TestKit
import Testing

@Suite("Methods of the repositories", .teardown, .timeLimit(.minutes(15)))
struct RepositoryMethodTests {
    @Test("each runs on every engine, with each of its statements", arguments: TestBackend.available)
    func everyStatement(backend: TestBackend) async throws {
        let methods = try SourceMethod.all()
        #expect(methods.count > 150)
        let calls = Set(RepositoryCall.all.map(\.method))
        let notCalled = methods.filter { $0.isShared && !Self.askNoStore.contains($0.name) }.map(\.name)
            .filter { !calls.contains($0) }
        #expect(notCalled == [], "methods that RepositoryCall.all does not call")
        #expect(calls.subtracting(methods.map(\.name)) == [], "calls of methods that are not there")
        let database = try await backend.makeSchema()
        let recorded = try await RepositoryCall.record(on: database)
        let ofMethod = Dictionary(grouping: recorded, by: \.method).mapValues { $0.map(\.statement.text) }
        let ofAll = recorded.map(\.statement.text)
        for method in methods {
            // A private method runs for the shared ones of its file.
            let texts = method.isShared ? ofMethod[method.name] ?? [] : ofAll
            for statement in method.statements where !texts.contains(where: { SourceMethod.matches(statement, $0) }) {
                Issue.record("\(method.file): \(method.name) never runs \(statement.joined(separator: " … "))")
            }
        }
    }

    /// Methods of records, which no transaction has.
    private static let askNoStore: Set = [
        "state(at:)", "hasEnded(by:)", "block(at:atMost:)", "endProofs()",
    ]

    @Test("are all that has SQL, besides the engines themselves")
    func noSQLElsewhere() throws {
        let sources = packageDirectory.appending(path: "Sources")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        // Statements of the engines and of the store as a whole, which no request runs.
        let known: Set = [
            "Migrator.swift", "StoreTables.swift", "TableDescriptor.swift", "WriteProbe.swift", "SQLiteError.swift",
            "SQLiteBackup.swift",
            "PostgreSQLDatabase.swift", "SQL.swift",
        ]
        for case let file as URL in files where file.pathExtension == "swift" {
            guard !file.path.contains("/Storage/Repositories/"), !known.contains(file.lastPathComponent) else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            let statement = try Regex(#""\s*(SELECT .* FROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM) "#)
            #expect(text.firstMatch(of: statement) == nil, "\(file.path)")
        }
    }
}
