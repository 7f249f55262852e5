package import Project
package import Storage
import Tenancy

/// Reads accounts page by page, and the sessions of one account, for operators.
package struct AccountBrowser: UsesRuntime {
    let runtime: Runtime

    package static let maximumPage = 1000

    /// Reads a page of accounts in the order of their ids.
    ///
    /// - Parameter limit: The most accounts to return, up to ``maximumPage``.
    package func page(after localID: String?, limit: Int, in scope: Scope) async throws -> [AccountView] {
        try await configurations.requireServed(scope)
        let limit = min(max(limit, 1), Self.maximumPage)
        return try await database.read { transaction in
            try AccountView.views(of: transaction.accounts(scope, after: localID, limit: limit), scope, in: transaction)
        }
    }

    /// A stretch of accounts that was searched.
    package struct Searched: Sendable {
        package let found: [AccountView]
        /// How many accounts were read.
        package let read: Int
        /// The last account that was read; `nil` when none is left behind it.
        package let last: String?
    }

    /// Searches a page of accounts for a part of the displayed name, whatever its capitals. No index helps there: the caller goes
    /// through all pages, and each is a transaction of its own.
    package func search(name: String, after localID: String?, in scope: Scope) async throws -> Searched {
        try await configurations.requireServed(scope)
        let part = Array(name.lowercased().utf8)
        return try await database.read { transaction in
            let page = try transaction.accounts(scope, after: localID, limit: Self.maximumPage)
            let matching = page.filter { $0.displayName.map { Array($0.lowercased().utf8).contains(part) } ?? false }
            return Searched(
                found: try AccountView.views(of: matching, scope, in: transaction),
                read: page.count,
                last: page.count == Self.maximumPage ? page.last?.localID : nil
            )
        }
    }

    /// Reads the identities of a provider, at most ``maximumPage``, for the account picker of development.
    package func identities(of providerID: String, scope: Scope) async throws -> [IdentityRecord] {
        try await configurations.requireServed(scope)
        return try await database.read { try $0.identities(scope, providerID: providerID, limit: Self.maximumPage) }
    }

    /// Reads an account with everything by which its user signs in, passkeys too.
    ///
    /// - Throws: `APIError` `USER_NOT_FOUND`, and for an unknown or disabled tenant.
    package func account(_ localID: String, in scope: Scope) async throws -> AccountView {
        try await configurations.requireServed(scope)
        return try await database.read { transaction in
            let account = try require(try transaction.account(scope, localID: localID), .userNotFound)
            return AccountView(
                scope: scope,
                account: account,
                identities: try transaction.identities(scope, localID: account.localID),
                passkeys: try transaction.passkeys(scope, localID: account.localID)
            )
        }
    }

    /// Reads the live sessions of an account, the most recently used first.
    package func sessions(of localID: String, in scope: Scope) async throws -> [SessionRecord] {
        try await configurations.requireServed(scope)
        return try await database.read { transaction in
            let account = try require(try transaction.account(scope, localID: localID), .userNotFound)
            return try transaction.liveSessions(scope, localID: localID).filter { !$0.hasEnded(by: account) }
        }
    }
}
