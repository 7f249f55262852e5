import Logging
import Passwords
package import Project
import Storage
import Tenancy
import Tokens

/// Imports accounts (`Docs/Contract/admin-accounts.md` §9).
package struct AccountImport: UsesRuntime {
    let runtime: Runtime
    let sealer: TokenSealer
    let changeLog: ChangeLog
    let hasher: PasswordHasher

    // The number of rows in one transaction; sign-ins are served between two of them.
    private static let chunkSize = 100

    /// What happens to an account that has the id of a row.
    package enum Overwriting: Sendable, Hashable {
        /// It stays as it is, and the row is left out.
        case none
        /// It takes what the file has changed since it was last imported, and keeps what was changed here.
        case changed
        /// The row's account takes its place.
        case all
    }

    /// The rows to import and how to treat them.
    package struct Request: Sendable {
        package var accounts: [ImportedAccount] = []
        /// The request's body, which holds `hashAlgorithm` and its parameters.
        package var hashParameters: JSONValue = [:]
        package var overwriting = Overwriting.none
        package var checksSanity = false
        /// Checks every row against the store, and stores none.
        package var isDryRun = false
        /// Counts a row as imported before, not as a failure, when its account exists with the same content.
        package var passesOverIdentical = false
        /// Whether hashes may cost more than those of common servers. Only an administrator of the whole project may allow that.
        package var allowsCostlyHashes = false
        /// Whether rows may have phone numbers. Who does not see whole numbers would learn from the results which of them exist.
        package var allowsPhoneNumbers = true

        package init() {}
    }

    /// A row that was left out.
    package struct Failure: Sendable, Hashable {
        /// The row's position in the request.
        package let index: Int
        package let message: String
    }

    /// A row that was imported, but not completely.
    package struct Warning: Sendable, Hashable {
        /// The row's position in the request.
        package let index: Int
        package let message: String
    }

    /// The results; rows in neither of the first two lists were imported.
    package struct Outcome: Sendable {
        package fileprivate(set) var failures: [Failure] = []
        /// The rows that had been imported before.
        package fileprivate(set) var unchanged: [Int] = []
        /// The imported rows whose password hash cannot be used, or costs more than a wrong password.
        package fileprivate(set) var warnings: [Warning] = []
        /// What of accounts is kept although their rows have something else.
        package fileprivate(set) var kept: [Warning] = []
        fileprivate var unusable = 0

        fileprivate mutating func add(_ part: Outcome) {
            kept += part.kept
            failures += part.failures
            unchanged += part.unchanged
            warnings += part.warnings
            unusable += part.unusable
        }
    }

    private static let unusableHash =
        "passwordHash cannot be of this hashAlgorithm: the account is there, and no password opens it"
    private static let telltaleHash =
        "passwordHash costs more than a wrong password may: until the next sign-in, response times may reveal the account"

    /// Imports every row that can be imported; a row that fails does not stop the others.
    ///
    /// - Returns: The results, each list in the order of the rows.
    /// - Throws: `APIError` for the whole request, with nothing imported; `StorageError` or an overload error, with the earlier
    ///   rows imported. Repeating the request is safe.
    package func importAccounts(_ request: Request, context: CallContext) async throws -> Outcome {
        let policy = try await configurations.configuration(of: context.scope, evenDisabled: context.reachesDisabled).policy
        if request.accounts.isEmpty { throw APIError(.missingUserAccount) }
        if request.checksSanity { try Self.checkSanity(request.accounts, policy) }
        if request.overwriting == .none {
            if let twice = Self.firstRepeated(request.accounts.map(\.localID).filter { !$0.isEmpty }) {
                throw APIError(.duplicateLocalID, twice)
            }
        }
        let passwords = try ImportedPasswords(
            request.hashParameters,
            rows: request.accounts,
            hasher: hasher,
            mode: mode,
            allowsCostly: request.allowsCostlyHashes,
            hashes: !request.isDryRun
        )
        var outcome = Outcome()
        for start in stride(from: 0, to: request.accounts.count, by: Self.chunkSize) {
            var rows: [PreparedImport] = []
            for index in start..<min(start + Self.chunkSize, request.accounts.count) {
                rows.append(try await prepare(request, index, passwords, context.scope))
            }
            outcome.add(try await Deadline.ofEachTransaction { try await store(rows, request, context) })
        }
        if outcome.unusable > 0 {
            logger.warning("hashes imported that no password opens", metadata: ["accounts": "\(outcome.unusable)"])
        }
        return outcome
    }

    /// Whether several accounts may have one address.
    package func takesSharedAddresses(_ context: CallContext) async throws -> Bool {
        try await configurations.configuration(of: context.scope, evenDisabled: context.reachesDisabled).policy
            .allowsDuplicateEmails
    }

    /// What a known password says of the hash of its row.
    package enum Probe: Sendable, Hashable {
        case right
        case wrong
        case noHash
        /// The hash cannot be used, for this reason.
        case unusable(String)
    }

    /// Tries a known password on a row, without storing anything.
    ///
    /// - Throws: `APIError` for parameters that fit no hash, or when the server is overloaded.
    package func probe(
        _ password: String,
        of row: ImportedAccount,
        hashParameters: JSONValue,
        allowsCostlyHashes: Bool
    ) async throws -> Probe {
        let passwords = try ImportedPasswords(
            hashParameters,
            rows: [row],
            hasher: hasher,
            mode: mode,
            allowsCostly: allowsCostlyHashes,
            hashes: true
        )
        switch try await passwords.stored(row) {
        case .failure(let refusal): return .unusable(refusal.message)
        case .success(nil): return .noHash
        case .success(let stored?) where stored.work == nil: return .unusable(Self.unusableHash)
        case .success(let stored?):
            if case .right = try await hasher.verify(password, against: stored, for: nil) { return .right }
            return .wrong
        }
    }

    private func prepare(
        _ request: Request,
        _ index: Int,
        _ passwords: ImportedPasswords,
        _ scope: Scope
    ) async throws -> PreparedImport {
        let row = request.accounts[index]
        let password = try await passwords.stored(row)
        let members = ImportedMembers(row, password: try? password.get()?.text, mode: mode)
        return PreparedImport(
            index: index,
            row: row,
            password: password,
            factorIDs: row.enrollments.map { _ in environment.randomText(length: 28) },
            eventID: environment.newEventID(),
            mode: mode,
            isSane: request.checksSanity,
            allowsPhoneNumbers: request.allowsPhoneNumbers,
            members: members,
            digests: try members.digests(of: row.localID, scope, sealer)
        )
    }

    private func store(_ rows: [PreparedImport], _ request: Request, _ context: CallContext) async throws -> Outcome {
        let stamp = changeLog.stamp(context)
        let body: @Sendable (Transaction) throws -> Outcome = { [hasher] transaction in
            var outcome = Outcome()
            var works: [PasswordWork: [Int]] = [:]
            for row in rows {
                do {
                    let (isNew, kept) = try Self.store(row, request, stamp, in: transaction)
                    if !isNew { outcome.unchanged.append(row.index) }
                    outcome.kept += kept.map { Warning(index: row.index, message: $0) }
                    guard let password = try row.password.get() else { continue }
                    if let work = password.work {
                        works[work, default: []].append(row.index)
                    } else {
                        outcome.unusable += 1
                        outcome.warnings.append(Warning(index: row.index, message: Self.unusableHash))
                    }
                } catch let refusal as PreparedImport.RowError {
                    outcome.failures.append(Failure(index: row.index, message: refusal.message))
                }
            }
            guard !works.isEmpty else { return outcome }
            let kinds = Set(works.keys)
            let known =
                request.isDryRun
                ? try transaction.passwordWorks(context.scope) + kinds
                : try transaction.note(kinds, context.scope, at: stamp.time)
            let padding = Set(hasher.padding(known))
            let own = hasher.defaultWork
            for (work, rows) in works where work != own && !padding.contains(work) {
                outcome.warnings += rows.map { Warning(index: $0, message: Self.telltaleHash) }
            }
            outcome.warnings.sort { $0.index < $1.index }
            return outcome
        }
        if request.isDryRun { return try await database.read(body) }
        do {
            return try await database.write(body)
        } catch StorageError.uniqueViolation {
            // A concurrent request took an id, an address or a number. Storing row by row leaves out only the row in conflict.
            var outcome = Outcome()
            guard rows.count > 1 else {
                outcome.failures = rows.map { Failure(index: $0.index, message: "account exists in database") }
                return outcome
            }
            for row in rows {
                outcome.add(try await store([row], request, context))
            }
            return outcome
        }
    }

    private static func checkSanity(_ rows: [ImportedAccount], _ policy: SignInPolicy) throws {
        if !policy.allowsDuplicateEmails, let email = firstRepeated(rows.compactMap { $0.email?.lowercased() }) {
            throw APIError(.duplicateEmail, email)
        }
        var seen: Set<[String]> = []
        for provider in rows.flatMap(\.providers) where !provider.isDerived {
            guard let providerID = provider.providerID, let rawID = provider.rawID else { continue }
            guard seen.insert([providerID, rawID]).inserted else {
                throw APIError(.duplicateRawID, "Provider id(\(providerID)), Raw id(\(rawID))")
            }
        }
    }

    private static func firstRepeated(_ texts: [String]) -> String? {
        var seen: Set<String> = []
        return texts.first { !seen.insert($0).inserted }
    }
}
