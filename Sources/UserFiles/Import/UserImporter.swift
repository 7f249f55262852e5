package import Accounts
import Foundation
package import Project

/// Imports the users of a file, batch by batch, with the use case of `accounts:batchCreate`.
package struct UserImporter: Sendable {
    package struct Counts: Sendable {
        package var rows = 0
        /// Rows that became accounts.
        package var imported = 0
        /// Rows that were imported earlier, with the same content.
        package var unchanged = 0
        /// Rows that are not imported.
        package var rejected = 0

        /// Begins to count.
        package init() {}
    }

    /// What whoever imports may do beyond importing common files.
    package struct Rights: Sendable {
        /// As in ``AccountImport/Request``.
        package var allowsCostlyHashes: Bool
        /// As in ``AccountImport/Request``.
        package var allowsPhoneNumbers: Bool

        package init(allowsCostlyHashes: Bool, allowsPhoneNumbers: Bool) {
            self.allowsCostlyHashes = allowsCostlyHashes
            self.allowsPhoneNumbers = allowsPhoneNumbers
        }

        /// Of the command line.
        package static let all = Rights(allowsCostlyHashes: true, allowsPhoneNumbers: true)
    }

    private let importing: AccountImport
    private let context: CallContext
    /// As in an import request.
    package var hashParameters: JSONValue = [:]
    package var isDryRun = false
    package var overwriting = AccountImport.Overwriting.none
    /// Nobody may do more unless told.
    package var rights = Rights(allowsCostlyHashes: false, allowsPhoneNumbers: false)

    private static let batchSize = 1000
    // Rows usually have one or two kilobytes. A batch of very large rows is cut short.
    private static let batchBytes = 8 << 20

    /// A row that waits for its batch.
    private struct Waiting {
        let number: Int
        let line: Int
        let account: ImportedAccount
    }

    package init(importing: AccountImport, context: CallContext) {
        self.importing = importing
        self.context = context
    }

    /// Imports every valid row.
    ///
    /// - Parameters:
    ///   - counts: The numbers so far, also of the rows before an error.
    ///   - progress: Called after each part with the counts, and the share of the file that was read; `nil` where its size is not
    ///     known. What it throws ends the import.
    /// - Throws: ``MalformedFile``; `APIError` for parameters that fit no hash. Rows imported before the error stay; another run
    ///   skips them.
    package func importFile(
        _ file: UserFile,
        counts: inout Counts,
        report: inout ImportReport,
        progress: (Counts, Double?) async throws -> Void
    ) async throws {
        let contested = try await contested(in: file, counts, progress)
        let reader = UserReader(file)
        var batch: [Waiting] = []
        var (ids, bytes): (Set<String>, Int) = ([], 0)
        var seen = SeenKeys()
        var part: UserReader.Part
        repeat {
            part = try await reader.next()
            for row in part.rows {
                counts.rows += 1
                let user: MovedUser
                do { user = try row.user.get() } catch {
                    counts.rejected += 1
                    try report.reject(row: counts.rows, line: row.line, id: nil, reason: "\(error)")
                    continue
                }
                let id = user.account.localID
                for note in user.notes { try report.note(row: counts.rows, line: row.line, id: id, note) }
                if let value = contested.first(in: user.account) {
                    counts.rejected += 1
                    try report.reject(row: counts.rows, line: row.line, id: id, reason: "\(value) \(ContestedValues.reason)")
                    continue
                }
                if isDryRun, let twin = seen.firstRepeated(in: user.account) {
                    counts.rejected += 1
                    try report.reject(row: counts.rows, line: row.line, id: id, reason: "\(twin) stands in the file before")
                    continue
                }
                // A second row with the same id must be compared with the stored result of the first.
                if ids.contains(id) || batch.count == Self.batchSize || bytes > Self.batchBytes {
                    try await store(&batch, &counts, &report)
                    (ids, bytes) = ([], 0)
                }
                ids.insert(id)
                bytes += user.account.size
                batch.append(Waiting(number: counts.rows, line: row.line, account: user.account))
            }
            // It may end the import, also one whose rows are all rejected.
            try await progress(counts, part.share)
        } while !part.isLast
        try await store(&batch, &counts, &report)
        try await progress(counts, part.share)
        if let fault = part.fault { throw fault }
    }

    private func contested(
        in file: UserFile,
        _ counts: Counts,
        _ progress: (Counts, Double?) async throws -> Void
    ) async throws -> ContestedValues {
        guard file.format.mayHoldInjectedRows else { return ContestedValues(sharesAddresses: false) }
        guard file.canBeReadAgain else {
            throw MalformedFile(line: 1, reason: "CSV is read twice, and must be in a file, not in a pipe")
        }
        var values = ContestedValues(sharesAddresses: try await importing.takesSharedAddresses(context))
        let reader = UserReader(try file.reopened())
        var part: UserReader.Part
        repeat {
            part = try await reader.next()
            for row in part.rows { if let account = try? row.user.get().account { values.note(account) } }
            try await progress(counts, nil)
        } while !part.isLast
        values.forgetUncontested()
        return values
    }

    /// The password of the probe does not open its row.
    package struct ProbeFailed: Error, CustomStringConvertible {
        /// What is wrong, as a sentence.
        package let description: String
    }

    /// Makes sure that a known password opens its row under the hash parameters, so that a wrong parameter is found before every
    /// user of the file is locked out. Nothing is stored.
    ///
    /// - Parameter email: The address of the row, whatever its capitals.
    package func probe(
        _ password: String,
        of email: String,
        in file: UserFile,
        progress: (Double?) async throws -> Void = { _ in }
    ) async throws {
        let address = email.lowercased()
        let name = TerminalText.printable(email)
        let reader = UserReader(file)
        var part: UserReader.Part
        repeat {
            part = try await reader.next()
            for row in part.rows {
                guard let account = try? row.user.get().account, account.email?.lowercased() == address else { continue }
                return try await probe(password, of: account, named: name)
            }
            try await progress(part.share)
        } while !part.isLast
        if let fault = part.fault { throw fault }
        throw ProbeFailed(description: "no row of the file has the address \(name)")
    }

    private func probe(_ password: String, of account: ImportedAccount, named name: String) async throws {
        let verdict = try await importing.probe(
            password,
            of: account,
            hashParameters: hashParameters,
            allowsCostlyHashes: rights.allowsCostlyHashes
        )
        switch verdict {
        case .right: return
        case .wrong: throw ProbeFailed(description: "under these hash parameters the password is not that of \(name)")
        case .noHash: throw ProbeFailed(description: "the row of \(name) has no password hash")
        case .unusable(let reason): throw ProbeFailed(description: "the hash of \(name) cannot be used: \(reason)")
        }
    }

    private func store(_ batch: inout [Waiting], _ counts: inout Counts, _ report: inout ImportReport) async throws {
        guard !batch.isEmpty else { return }
        var request = AccountImport.Request()
        request.accounts = batch.map(\.account)
        request.hashParameters = hashParameters
        request.isDryRun = isDryRun
        request.overwriting = overwriting
        request.passesOverIdentical = true
        request.allowsCostlyHashes = rights.allowsCostlyHashes
        request.allowsPhoneNumbers = rights.allowsPhoneNumbers
        let outcome = try await importing.importAccounts(request, context: context)
        for warning in outcome.warnings {
            let row = batch[warning.index]
            try report.note(row: row.number, line: row.line, id: row.account.localID, warning.message)
        }
        for kept in outcome.kept {
            let row = batch[kept.index]
            try report.note(row: row.number, line: row.line, id: row.account.localID, kept.message)
        }
        for failure in outcome.failures {
            let row = batch[failure.index]
            try report.reject(row: row.number, line: row.line, id: row.account.localID, reason: failure.message)
        }
        counts.rejected += outcome.failures.count
        counts.unchanged += outcome.unchanged.count
        counts.imported += batch.count - outcome.failures.count - outcome.unchanged.count
        batch = []
    }
}

extension ImportedAccount {
    // A rough estimate, which bounds a batch.
    fileprivate var size: Int {
        let texts = [localID, email, displayName, photoURL, customAttributes, passwordHash, salt, rawPassword]
        return texts.reduce(500 * (1 + providers.count)) { $0 + ($1?.utf8.count ?? 0) }
    }
}
