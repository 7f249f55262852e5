import Accounts
import ArgumentParser
import Project
import Server
import Settings
import Storage
import Tokens

extension Keys {
    /// `postern keys rotate`.
    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sign with the published successor from now on; the old key verifies until its tokens have expired.",
            discussion: """
                With --after-restore all keys are replaced at once, and one-time codes, flows at providers and waiting messages of the backup \
                are forgotten: nothing of the time that the backup lost passes for something else. Run it before a server starts there.
                """
        )

        @OptionGroup var config: ConfigOption
        @Flag(help: "The database is a restored backup: replace all keys.") var afterRestore = false
        @Flag(help: "With --after-restore: end all sessions, for some may have been revoked since the backup.")
        var endSessions = false
        @Flag(help: "Print JSON.") var json = false

        func validate() throws {
            guard afterRestore || !endSessions else { throw ValidationError("--end-sessions is for --after-restore") }
        }

        func run() async throws {
            if afterRestore { return try await replace() }
            try await Keys.withKeyRing(config) { ring, context in
                Keys.warnOfYoungSuccessor(in: ring)
                let kid = try await ring.rotate(context: context)
                print(json ? JSONValue.object(["kid": .string(kid)]).text : "\(kid) signs now")
            }
        }

        private func replace() async throws {
            try await CommandStore.withDatabase(config) { database, environment, settings in
                let ring = try StoreKeys(settings, of: database, environment: environment).ring
                try await ring.load()
                let restoration = Restoration(database: database, environment: environment)
                let context = CallContext.commandLine(projectID: settings.project.id, tenant: nil)
                let (kid, ended) = try await restoration.restore(ring, endsSessions: endSessions, context: context)
                let answer: JSONValue = ["kid": .string(kid), "endedSessions": .integer(Int64(ended))]
                print(json ? answer.text : "all keys are replaced, \(kid) signs now; \(ended) sessions ended")
            }
        }
    }
}
