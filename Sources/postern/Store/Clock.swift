import Accounts
import ArgumentParser
import Project
import Server
import Settings

/// `postern clock`.
struct Clock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say that the system's clock is right after it has jumped.",
        subcommands: [Confirm.self]
    )

    /// `postern clock confirm`.
    struct Confirm: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Confirm the time of this machine: servers believe their clocks again, and remove what has expired by them.",
            discussion: """
                After a jump of the system's clock, or a start more than a week after the store was last seen, a server removes nothing and \
                lets no count begin anew. Check the time of every machine before you confirm it.
                """
        )

        @OptionGroup var config: ConfigOption
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            try await CommandStore.withDatabase(config) { database, environment, settings in
                let context = CallContext.commandLine(projectID: settings.project.id, tenant: nil)
                let (time, lead) = try await ClockConfirmation(database: database, environment: environment).confirm(
                    context: context
                )
                let seconds = lead.map { JSONValue.integer($0.components.seconds) } ?? .null
                let answer: JSONValue = ["time": .string(time.rfc3339), "leadSeconds": seconds]
                print(json ? answer.text : "the time is \(time.rfc3339); servers believe their clocks within seconds")
            }
        }
    }
}
