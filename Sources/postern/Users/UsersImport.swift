import Accounts
import ArgumentParser
import Foundation
import HTTPAPI
import Project
import Server
import UserFiles

extension Users {
    /// `postern users import FILE`.
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Import users from a file of Firebase, Auth0, Supabase or Keycloak.",
            discussion: """
                Exit codes: 0 when every row was imported or had been before, 2 when rows were rejected, 1 when the file could not be \
                read to its end or the import could not be done. Running again passes over the rows that were imported before.
                """
        )

        @OptionGroup var options: Options
        @OptionGroup var hash: HashOptions
        @Argument(help: "The file.") var file: String
        @Option(help: "json, csv, auth0, supabase or keycloak. Default: csv for a file whose name ends in .csv, else json.")
        var format: UserFileFormatName?
        @Option(help: "Auth0's second file, with the password hashes.") var passwords: String?
        @Flag(help: "Check every row against the rules and the store, and import none.") var dryRun = false
        @Option(
            help: """
                Let accounts that are there with the same id take what the file has changed since it was last imported (--overwrite), or \
                replace them and end their sessions (--overwrite=all).
                """
        )
        var overwrite: Overwrite?
        @Option(help: "Read the password of the user with this address from standard input, and import nothing if it is wrong.")
        var verifyPassword: String?
        @Option(help: "Write every rejected row and every note to this new file, a JSON object a line.") var report: String?

        /// What happens to accounts that are there.
        enum Overwrite: String, ExpressibleByArgument, CaseIterable {
            case changed, all

            var rule: AccountImport.Overwriting {
                switch self {
                case .changed: .changed
                case .all: .all
                }
            }
        }

        /// The arguments with a bare `--overwrite` written out: the parser would take what stands behind it for its value.
        static func spelledOut(_ arguments: [String]) -> [String] {
            arguments.map { $0 == "--overwrite" ? "--overwrite=\(Overwrite.changed)" : $0 }
        }

        private static let rowsWereRejected: Int32 = 2

        private var kind: UserFileFormatName { format ?? (file.hasSuffix(".csv") ? .csv : .json) }

        func validate() throws {
            if passwords != nil, format != .auth0 { throw ValidationError("--passwords is for --format auth0") }
        }

        func run() async throws {
            let parameters = try hash.parameters()
            let password = try verifyPassword.map { _ in try PasswordInput.line() }
            try await options.work { workplace in
                let users = try UserFile(file, format: kind, passwords: passwords, now: workplace.environment.now())
                let imports = workplace.useCases.operators.accountImport
                var importer = UserImporter(importing: imports, context: workplace.context)
                importer.hashParameters = parameters
                importer.isDryRun = dryRun
                importer.overwriting = overwrite?.rule ?? .none
                importer.rights = .all
                if let verifyPassword, let password {
                    try await importer.probe(password, of: verifyPassword, in: users.reopened())
                }
                var report = try ImportReport(path: report)
                let bar = ProgressLine()
                defer { bar.end() }
                var counts = UserImporter.Counts()
                do {
                    try await importer.importFile(users, counts: &counts, report: &report) { counts, share in
                        bar.show(share, "\(counts.rows) rows read, \(counts.rejected) rejected")
                    }
                } catch {
                    bar.end()
                    show(counts, report)
                    throw error
                }
                bar.end()
                show(counts, report)
                if counts.rejected > 0 { throw ExitCode(Self.rowsWereRejected) }
            }
        }

        private func show(_ counts: UserImporter.Counts, _ report: ImportReport) {
            let notes = report.notes
            if report.unshown > 0 {
                StandardError.write("and \(report.unshown) more rows were rejected; --report FILE lists all of them")
            }
            if options.json {
                let answer: JSONValue = [
                    "rows": .integer(Int64(counts.rows)), "imported": .integer(Int64(counts.imported)),
                    "unchanged": .integer(Int64(counts.unchanged)), "rejected": .integer(Int64(counts.rejected)),
                    "dryRun": .bool(dryRun), "notes": .object(JSONObject(naming: notes.map { ($0, .integer(Int64($1))) })),
                ]
                return print(answer.text)
            }
            for (note, rows) in notes.sorted(by: { $0.key < $1.key }) { print("note: \(note) (\(rows) rows)") }
            let verb = dryRun ? "would be imported" : "imported"
            print(
                """
                \(counts.rows) rows: \(counts.imported) \(verb), \(counts.unchanged) had been imported before, \
                \(counts.rejected) rejected
                """
            )
        }
    }
}

extension UserFileFormatName: ExpressibleByArgument {}
