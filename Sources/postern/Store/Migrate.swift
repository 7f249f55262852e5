import ArgumentParser
import Project
import Server
import Settings
import Storage

/// `postern migrate`: brings the schema up to date and ends.
struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Bring the database's schema up to date.")

    @OptionGroup var config: ConfigOption
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        let settings = try await config.settings()
        do {
            let logger = config.logger(settings)
            let now = ServerEnvironment.systemClock()
            let store = try await Store.open(settings.database, pace: .command, at: now, logger: logger)
            try await store.database.close()
            report(store.applied)
        } catch {
            throw CommandFailure(error)
        }
    }

    private func report(_ applied: [Migration]) {
        if json {
            let entries = applied.map { JSONValue.object(["version": .integer(Int64($0.version)), "name": .string($0.name)]) }
            print(JSONValue.object(["applied": .array(entries)]).text)
        } else if applied.isEmpty {
            print("The schema is up to date.")
        } else {
            for migration in applied { print("applied \(migration.version) \(migration.name)") }
        }
    }
}
