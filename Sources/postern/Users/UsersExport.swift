import Accounts
import ArgumentParser
import Foundation
import HTTPAPI
import Project
import Server
import UserFiles

extension Users {
    /// `postern users export FILE`.
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write all users to a new file that firebase auth:import or another Postern reads.",
            discussion: """
                The file has mode 0600, and one that is there is never overwritten. Password hashes are left out unless \
                --with-passwords asks for them; Argon2id, which Postern hashes with, only --format postern can carry.
                """
        )

        @OptionGroup var options: Options
        @Argument(help: "The file to make.") var file: String
        @Option(
            help:
                "json or csv for Firebase, postern for another Postern. Default: csv for a file whose name ends in .csv, else json."
        )
        var format: UserExportFormatName?
        @Flag(help: "Put password hashes into the file; the audit trail says so.") var withPasswords = false

        func run() async throws {
            try await options.work(onlyReads: true) { workplace in
                let handle = try PrivateFile.create(file)
                let exporter = UserExporter(
                    listing: workplace.useCases.operators.listing,
                    context: workplace.context,
                    format: format ?? (file.hasSuffix(".csv") ? .csv : .json),
                    withPasswords: withPasswords
                )
                let bar = ProgressLine()
                let result: (counts: UserExporter.Counts, parameters: JSONValue?)
                do {
                    result = try await exporter.export(to: handle) { bar.show(nil, "\($0.users) users written") }
                } catch {
                    bar.end()
                    // An incomplete file could be taken for a complete one.
                    try? FileManager.default.removeItem(atPath: file)
                    throw error
                }
                bar.end()
                show(result.counts, result.parameters)
            }
        }

        private func show(_ counts: UserExporter.Counts, _ parameters: JSONValue?) {
            let algorithm = parameters?["hashAlgorithm"]
            if options.json {
                var answer: JSONValue = [
                    "file": .string(file), "users": .integer(Int64(counts.users)), "hashes": .integer(Int64(counts.hashes)),
                    "hashesLeftOut": .integer(Int64(counts.hashesLeftOut)),
                ]
                answer["hashAlgorithm"] = algorithm
                return print(answer.text)
            }
            print("\(file): \(counts.users) users, \(counts.hashes) password hashes, \(counts.hashesLeftOut) left out")
            if let name = algorithm?.string { print("The hashes are \(name), with the parameters that they were imported with.") }
        }
    }
}

extension UserExportFormatName: ExpressibleByArgument {}
