package import Accounts
package import Foundation
package import Project

/// An import as the console asks for it: a known password is tried first, and all that is to be told comes back.
package struct UserImportJob: Sendable {
    package var importer: UserImporter
    private let now: Timestamp
    package var format = UserFileFormatName.json
    /// Whether accounts that are there may be changed.
    package var replacesAccounts: Bool { importer.overwriting != .none && !importer.isDryRun }
    /// A known password, and the address of its user.
    package var probe: (email: String, password: String)?

    package struct Outcome: Sendable {
        package fileprivate(set) var counts = UserImporter.Counts()
        /// The first rejected rows, one text each.
        package fileprivate(set) var rejected: [String] = []
        /// How many rejected rows are not among them.
        package fileprivate(set) var unshown = 0
        /// How many rows have a value that is not kept, by what it is.
        package fileprivate(set) var notes: [(text: String, rows: Int)] = []
        /// What ended the import before the end of the file.
        package fileprivate(set) var fault: String?
    }

    package init(importing: AccountImport, context: CallContext, now: Timestamp) {
        importer = UserImporter(importing: importing, context: context)
        importer.isDryRun = true
        self.now = now
    }

    /// Imports a file.
    ///
    /// - Parameter progress: Called after each part of the file, also while the row of the probe is looked for, with the counts
    ///   and the share of the file that was read. What it throws ends the import.
    /// - Throws: `APIError` for parameters that fit no hash; what `progress` throws. Rows imported before stay, and another run
    ///   passes over them.
    package func importFile(
        _ file: FileHandle,
        progress: (UserImporter.Counts, Double?) async throws -> Void = { _, _ in }
    ) async throws -> Outcome {
        var outcome = Outcome()
        var report = ImportReport()
        do {
            let file = try UserFile(file, format: format, now: now)
            if let probe {
                let counts = outcome.counts
                try await importer.probe(probe.password, of: probe.email, in: file.reopened()) { _ in
                    try await progress(counts, nil)
                }
            }
            try await importer.importFile(file, counts: &outcome.counts, report: &report, progress: progress)
        } catch let error as MalformedFile {
            outcome.fault = error.description
        } catch let error as UserImporter.ProbeFailed {
            outcome.fault = error.description
        } catch is FileBytes.Empty {
            outcome.fault = "the file is empty"
        }
        outcome.rejected = report.rejected
        outcome.unshown = report.unshown
        outcome.notes = report.notes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        return outcome
    }
}
