import Foundation
import Project
import TestKit
import Testing

@Suite("The two modes have stores of their own (EMU-01)", .teardown, .timeLimit(.minutes(15)))
struct StoreModeTests {
    @Test("no server starts on the other mode's store, nor on a copy of it; commands work on both")
    func modes() async throws {
        let place = try await CommandPlace.make(project: "config: {}", ["POSTERN_LOG_LEVEL": "warning", "POSTERN_ODD": "1"])
        func serve(_ mode: String, on path: String) throws -> ServerProcess {
            let variables = ["POSTERN_MODE": mode, "POSTERN_DATABASE_URL": "sqlite:\(path)"]
            let environment = place.variables.merging(variables) { $1 }
            return try ServerProcess(["serve"], environment: environment, directory: place.directory)
        }
        try place.write(#"{"users": [{"localId": "a"}]}"#, to: "users.json")
        let first = try serve("development", on: "p.sqlite")
        _ = try await first.waitUntilReady()
        #expect(await first.terminate() == 0)
        let listed = try await place.run(["users", "list"])
        #expect(listed.code == 0 && !listed.text.contains("POSTERN_ODD"), "\(listed.text)")
        #expect(try await place.json(["users", "import", "users.json"])["imported"] == 1)
        #expect(try await place.run(["copy", "--from", "sqlite:p.sqlite", "--to", "sqlite:copy.sqlite"]).code == 0)
        for path in ["p.sqlite", "copy.sqlite"] {
            let (code, text) = await (try serve("production", on: path)).waitForOutput()
            #expect(code == 1)
            #expect(text.contains("Error: the database was made in development mode, and production does not start on it:"))
        }
        let again = try serve("development", on: "p.sqlite")
        _ = try await again.waitUntilReady()
        #expect(await again.terminate() == 0)

        let production = try serve("production", on: "q.sqlite")
        _ = try await production.waitUntilReady()
        #expect(await production.terminate() == 0)
        #expect(production.printed.contains("POSTERN_ODD"))
        let variables = ["POSTERN_MODE": "development", "POSTERN_DATABASE_URL": "sqlite:q.sqlite"]
        let other = CommandPlace(directory: place.directory, variables: place.variables.merging(variables) { $1 })
        #expect(try await other.json(["users", "import", "users.json"])["imported"] == 1)
        #expect(try await other.run(["serve"]).text.contains("Error: the database is of a production server"))
        let unharmed = try serve("production", on: "q.sqlite")
        _ = try await unharmed.waitUntilReady()
        #expect(await unharmed.terminate() == 0)
    }
}
