package import Project
package import Storage
import Tenancy

/// Reads accounts page by page, and the sessions of one account, for operators.
package struct AccountBrowser: Grounded {
    let ground: Ground

    /// The most accounts of one page.
    package static let maximumPage = 1000

    /// Reads a page of accounts in the order of their ids.
    ///
    /// - Parameters:
    ///   - localID: The last account of the previous page; `nil` for the first page.
    ///   - limit: The most accounts to return, up to ``maximumPage``.
    ///   - scope: The project or tenant.
    /// - Returns: The accounts.
    /// - Throws: `APIError` for an unknown or disabled tenant; `StorageError`.
    package func page(after localID: String?, limit: Int, in scope: Scope) async throws -> [AccountView] {
        _ = try await configurations.configuration(of: scope)
        let limit = min(max(limit, 1), Self.maximumPage)
        return try await database.read { transaction in
            try AccountView.views(of: transaction.accounts(scope, after: localID, limit: limit), scope, in: transaction)
        }
    }

    /// Reads the identities of a provider, at most ``maximumPage``, for the account picker of development.
    ///
    /// - Throws: `APIError` for an unknown or disabled tenant; `StorageError`.
    package func identities(of providerID: String, scope: Scope) async throws -> [IdentityRecord] {
        _ = try await configurations.configuration(of: scope)
        return try await database.read { try $0.identities(scope, providerID: providerID, limit: Self.maximumPage) }
    }

    /// Reads the live sessions of an account, the most recently used first.
    ///
    /// - Throws: `APIError` `USER_NOT_FOUND`, and for an unknown or disabled tenant; `StorageError`.
    package func sessions(of localID: String, in scope: Scope) async throws -> [SessionRecord] {
        _ = try await configurations.configuration(of: scope)
        return try await database.read { transaction in
            let account = try require(try transaction.account(scope, localID: localID), .userNotFound)
            return try transaction.liveSessions(scope, localID: localID).filter { !$0.hasEnded(by: account) }
        }
    }
}
