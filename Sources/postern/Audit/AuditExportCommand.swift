import Accounts
import ArgumentParser
import Foundation
import Project
import Server

extension Audit {
    /// `postern audit export FILE`.
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write the audit trail to a new file, one JSON object a line.",
            discussion: """
                The records of the project and of its tenants that have their place in a chain. The file has mode 0600, and one that is
                there is never overwritten.
                """
        )

        @OptionGroup var config: ConfigOption
        @Argument(help: "The file to make.") var file: String
        @Option(help: "jsonl, which can be verified, or ocsf, for other systems.") var format = AuditExport.Format.jsonl

        func run() async throws {
            try await CommandStore.withUseCases(config, tenant: nil, onlyReads: true) { workplace in
                let handle = try PrivateFile.create(file)
                let export = AuditExport(database: workplace.database, format: format)
                let count: Int
                do {
                    count = try await export.export(projectID: workplace.context.scope.projectID) { line in
                        try handle.write(contentsOf: line.serialized() + Data("\n".utf8))
                    }
                    try handle.synchronize()
                } catch {
                    // An incomplete file could be taken for a complete one.
                    try? FileManager.default.removeItem(atPath: file)
                    throw error
                }
                print("\(TerminalText.path(file)): \(count) records")
            }
        }
    }
}

extension AuditExport.Format: ExpressibleByArgument {}
