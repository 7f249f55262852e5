package import Project
package import Storage
import Tenancy

/// Searches and sorts accounts for administrators (`Docs/Contract/admin-accounts.md` §13).
package struct AccountSearch: UsesRuntime {
    let runtime: Runtime

    /// The most accounts in one answer.
    private static let largestStretch = 500

    package struct Request: Sendable {
        package var filter: AccountReader.Selector?
        package var order = AccountOrder.localID
        package var isDescending = false
        /// The most accounts to return; `nil` or 0 for the most that one answer holds.
        package var limit: Int64?
        package var offset: Int64 = 0

        package init() {}
    }

    /// Reads the accounts that a request asks for.
    package func accounts(_ request: Request, context: CallContext) async throws -> [AccountView] {
        let scope = context.scope
        try await configurations.requireServed(scope)
        let wanted = request.limit.flatMap { $0 > 0 ? $0 : nil } ?? Int64(Self.largestStretch)
        let limit = Int(min(wanted, Int64(Self.largestStretch)))
        return try await database.read { transaction in
            let found: [AccountRecord]
            if let filter = request.filter {
                found = request.offset == 0 ? try filter.accounts(scope, in: transaction) : []
            } else {
                found = try transaction.accounts(
                    scope,
                    by: request.order,
                    isDescending: request.isDescending,
                    limit: limit,
                    offset: request.offset
                )
            }
            return try AccountView.views(of: found, scope, in: transaction)
        }
    }

    /// Counts all accounts that match, regardless of the limits of the request.
    package func count(_ filter: AccountReader.Selector?, context: CallContext) async throws -> Int64 {
        let scope = context.scope
        try await configurations.requireServed(scope)
        return try await database.read { transaction in
            guard let filter else { return try transaction.accountCount(scope) }
            return Int64(try filter.accounts(scope, in: transaction).count)
        }
    }
}
