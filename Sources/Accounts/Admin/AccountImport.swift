package import Passwords
package import Project
package import Storage

/// Imports accounts (`contract/admin-accounts.md` §9).
package struct AccountImport: Sendable {
    private let database: any Database
    private let environment: ServerEnvironment
    private let configurations: ConfigurationStore
    private let hasher: PasswordHasher
    private let mode: ServerMode

    package init(
        database: any Database,
        environment: ServerEnvironment,
        configurations: ConfigurationStore,
        hasher: PasswordHasher,
        mode: ServerMode
    ) {
        self.database = database
        self.environment = environment
        self.configurations = configurations
        self.hasher = hasher
        self.mode = mode
    }

    // Rows that are stored in one transaction, so that sign-ins get their turn in between.
    private static let chunkSize = 100

    /// What is to be imported.
    package struct Request: Sendable {
        package var accounts: [ImportedAccount] = []
        /// The request's body, for `hashAlgorithm` and its parameters.
        package var hashParameters: JSONValue = [:]
        package var allowsOverwrite = false
        package var checksSanity = false

        package init() {}
    }

    /// A row that was left out.
    package struct Failure: Sendable, Hashable {
        /// Where it stands in the request.
        package let index: Int
        package let message: String
    }

    /// Imports what can be imported: a row that cannot does not hold up the others.
    ///
    /// - Parameters:
    ///   - request: The rows.
    ///   - context: The call of an administrator.
    /// - Returns: The rows that were left out, in their order.
    /// - Throws: `APIError` for the whole request, with nothing imported; `StorageError` or an overload, and then the rows
    ///   until there are imported. Repeating the request does no harm.
    package func run(_ request: Request, context: CallContext) async throws -> [Failure] {
        let policy = try await configurations.configuration(of: context.scope).policy
        if request.accounts.isEmpty { throw APIError(.missingUserAccount) }
        if request.checksSanity { try Self.checkSanity(request.accounts, policy) }
        if !request.allowsOverwrite {
            if let twice = Self.firstRepeated(request.accounts.map(\.localID).filter { !$0.isEmpty }) {
                throw APIError(.duplicateLocalID, twice)
            }
        }
        let passwords = try ImportedPasswords(
            request.hashParameters,
            rows: request.accounts,
            hasher: hasher,
            mode: mode
        )
        var failures: [Failure] = []
        for start in stride(from: 0, to: request.accounts.count, by: Self.chunkSize) {
            var rows: [PreparedImport] = []
            for index in start..<min(start + Self.chunkSize, request.accounts.count) {
                rows.append(try await prepare(request, index, passwords))
            }
            failures += try await store(rows, allowsOverwrite: request.allowsOverwrite, context: context)
        }
        return failures
    }

    private func prepare(
        _ request: Request,
        _ index: Int,
        _ passwords: ImportedPasswords
    ) async throws -> PreparedImport {
        let row = request.accounts[index]
        return PreparedImport(
            index: index,
            row: row,
            password: try await passwords.stored(row),
            factorIDs: row.enrollments.map { _ in environment.randomText(length: 28) },
            eventID: environment.newEventID(),
            mode: mode,
            isSane: request.checksSanity
        )
    }

    private func store(
        _ rows: [PreparedImport],
        allowsOverwrite: Bool,
        context: CallContext
    ) async throws -> [Failure] {
        let time = environment.now()
        do {
            return try await database.write { transaction in
                try rows.compactMap { row in
                    do {
                        try Self.store(row, allowsOverwrite, context, at: time, in: transaction)
                        return nil
                    } catch let refusal as PreparedImport.Refusal {
                        return Failure(index: row.index, message: refusal.message)
                    }
                }
            }
        } catch StorageError.uniqueViolation {
            // Somebody took an id, an address or a number at the same moment: row by row, only that one is left out.
            guard rows.count > 1 else {
                return rows.map { Failure(index: $0.index, message: "account exists in database") }
            }
            var failures: [Failure] = []
            for row in rows {
                failures += try await store([row], allowsOverwrite: allowsOverwrite, context: context)
            }
            return failures
        }
    }

    private static func store(
        _ row: PreparedImport,
        _ allowsOverwrite: Bool,
        _ context: CallContext,
        at time: Timestamp,
        in transaction: any Transaction
    ) throws {
        let scope = context.scope
        let (account, identities) = try row.account(scope, at: time, in: transaction)
        if let old = try transaction.account(scope, localID: account.localID) {
            guard allowsOverwrite else {
                throw PreparedImport.Refusal(message: "localId belongs to an existing account - can not overwrite.")
            }
            try AccountDeletion.delete(old, scope, at: time, in: transaction)
        }
        try transaction.insertAccount(scope, account)
        for identity in identities {
            try transaction.upsertIdentity(scope, localID: account.localID, identity, at: time)
        }
        let event = context.auditEvent("import", of: account.localID, id: row.eventID, at: time)
        try transaction.insertAuditEvent(scope, event)
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
