package import Project
package import Storage
import Tenancy

/// Lists and searches accounts for administrators (`Docs/Contract/admin-accounts.md` §12 and §13).
package struct AccountListing: UsesRuntime {
    let runtime: Runtime

    private static let defaultPageSize = 20
    private static let largestPage = 1000
    // A page of large accounts ends early, after the chunk in which it gets so large, because the whole answer is in memory.
    private static let pageBytes = 4 << 20
    private static let chunk = 100

    /// How many accounts are wanted.
    package enum PageSize: Sendable, Hashable {
        case atMost(Int)
        /// Development only, for the emulator's own export.
        case everything

        /// Reads `maxResults` (`Docs/Contract/rulings.md` 22); `nil` for a number that is not valid.
        ///
        /// - Parameter mode: Only development gives everything at once.
        package init?(maxResults number: Int64?, mode: ModeRules) {
            switch number {
            case nil, 0: self = .atMost(defaultPageSize)
            case .some(-1) where mode.listsEverythingAtOnce: self = .everything
            case .some(let number) where number > 0: self = .atMost(Int(min(number, Int64(largestPage))))
            default: return nil
            }
        }
    }

    package struct Page: Sendable {
        package let accounts: [AccountView]
        /// The last id of a page that is full, by its number of accounts or by their size. The next page begins after it and may be
        /// empty.
        package let nextToken: String?
    }

    /// Reads the accounts after a token, ordered by the bytes of their ids.
    ///
    /// - Parameter token: The last `localId` that the caller has, or any other text.
    /// - Returns: The audit trail records the page when the caller may see secrets.
    /// - Throws: `APIError` `INVALID_PAGE_SELECTION`.
    package func page(after token: String?, size: PageSize, context: CallContext) async throws -> Page {
        let scope = context.scope
        try await configurations.requireServed(scope, evenDisabled: context.reachesDisabled)
        guard LocalID.fits(token ?? "") else { throw APIError(.invalidPageSelection) }
        let limit: Int
        switch size {
        case .atMost(let number): limit = number
        case .everything:
            return Page(accounts: try await everything(after: token, scope), nextToken: nil)
        }
        let (accounts, isCut) = try await database.read { try Self.boundedStretch(scope, after: token, limit: limit, in: $0) }
        if context.maySeeSecrets, !accounts.isEmpty {
            let event = context.auditEvent(.export, ["count": .integer(Int64(accounts.count))], by: environment)
            try await database.write { try $0.insertAuditEvent(scope, event) }
        }
        return Page(accounts: accounts, nextToken: isCut ? accounts.last?.account.localID : nil)
    }

    /// Records that an operator takes all accounts away as a file. Pages with secrets have records of their own besides.
    package func recordExport(also part: TransactionPart? = nil, _ context: CallContext) async throws {
        let event = context.auditEvent(.export, ["whole": true], by: environment)
        try await database.write { transaction throws in
            try part?(transaction)
            try transaction.insertAuditEvent(context.scope, event)
        }
    }

    // Reads page by page, so that no read holds the store for long.
    private func everything(after token: String?, _ scope: Scope) async throws -> [AccountView] {
        var (all, last): ([AccountView], String?) = ([], token)
        while true {
            let after = last
            let more = try await Deadline.ofEachTransaction {
                try await database.read { try Self.stretch(scope, after: after, limit: Self.largestPage, in: $0) }
            }
            all += more
            guard more.count == Self.largestPage else { return all }
            last = more.last?.account.localID
        }
    }

    // Returns whether there may be more accounts behind these.
    private static func boundedStretch(
        _ scope: Scope,
        after token: String?,
        limit: Int,
        in transaction: Transaction
    ) throws -> ([AccountView], isCut: Bool) {
        var (views, bytes) = ([AccountView](), 0)
        while views.count < limit, bytes < pageBytes {
            let wanted = min(chunk, limit - views.count)
            let more = try stretch(scope, after: views.last?.account.localID ?? token, limit: wanted, in: transaction)
            views += more
            bytes += more.reduce(0) { $0 + $1.textBytes }
            if more.count < wanted { return (views, false) }
        }
        return (views, true)
    }

    private static func stretch(
        _ scope: Scope,
        after token: String?,
        limit: Int,
        in transaction: Transaction
    ) throws -> [AccountView] {
        try AccountView.views(of: transaction.accounts(scope, after: token, limit: limit), scope, in: transaction)
    }
}

extension AccountView {
    /// Accounts with their identities, read together.
    static func views(
        of accounts: [AccountRecord],
        _ scope: Scope,
        in transaction: Transaction
    ) throws -> [AccountView] {
        let identities = try transaction.identities(scope, localIDs: accounts.map(\.localID))
        return accounts.map { AccountView(scope: scope, account: $0, identities: identities[$0.localID] ?? []) }
    }

    /// About how many bytes the account has in an answer.
    fileprivate var textBytes: Int {
        let texts = [account.email, account.displayName, account.photoURL, account.customAttributes, account.passwordHash]
        let own = texts.reduce(500) { $0 + ($1?.utf8.count ?? 0) }
        return identities.reduce(own + 500 * account.secondFactors.count) { $0 + 100 + $1.textBytes }
    }
}

extension IdentityRecord {
    /// How many bytes the texts of the identity have.
    var textBytes: Int {
        [rawID, email, displayName, photoURL, screenName].reduce(providerID.utf8.count) { $0 + ($1?.utf8.count ?? 0) }
    }
}
