import Foundation
package import Project
import Storage
import Tenancy
import Tokens

/// Finds accounts for operators, page by page.
///
/// An id, a provider's id, the beginning of an address, number or name, and the time of creation have an index; a page of such a search
/// reads what it shows. Other conditions are checked account by account, and a page examines at most ``examinedPerPage``: it then
/// tells how many have been searched so far, may have fewer accounts than asked for or none, and has a token with which to go on.
package struct AccountFinder: UsesRuntime {
    let runtime: Runtime
    let sealer: TokenSealer

    package static let largestPage = 500
    package static let examinedPerPage = 2000

    private static let chunk = 500

    /// A page of what was found.
    package struct Page: Sendable {
        package let accounts: [AccountView]
        /// How many accounts were examined for this page and for those before it.
        package let examined: Int64
        /// Leads to the next page, which may be empty; `nil` when all accounts have been searched.
        package let nextToken: String?
    }

    /// Where a search has got to.
    private struct Progress: Sendable {
        var place: AccountWalk.Place?
        var examined: Int64 = 0
    }

    /// Reads a page.
    ///
    /// - Parameters:
    ///   - size: The most accounts to return, up to ``largestPage``.
    ///   - token: The token of the page before; empty for the first page. It belongs to one query in one scope.
    /// - Returns: The page. The walk's index decides the order: the newest first, or by address, number or name.
    /// - Throws: `APIError` `INVALID_PAGE_SELECTION`, and for an unknown or disabled tenant.
    package func page(_ query: AccountQuery, size: Int, token: String, in scope: Scope) async throws -> Page {
        try await configurations.requireServed(scope)
        let start = try token.isEmpty ? Progress() : progress(ofToken: token, query, scope)
        guard query.isPossible else { return Page(accounts: [], examined: start.examined, nextToken: nil) }
        let size = min(max(size, 1), Self.largestPage)
        let (accounts, end) = try await database.read { transaction in
            if let single = try Self.single(query, scope, in: transaction) { return single }
            return try Self.search(query, size, from: start, scope, in: transaction)
        }
        let next = try end.place.map { try self.token($0, end, query, scope) }
        return Page(accounts: accounts, examined: end.examined, nextToken: next)
    }

    // The account that an id or identity leads to; `nil` when the query has neither.
    private static func single(
        _ query: AccountQuery,
        _ scope: Scope,
        in transaction: Transaction
    ) throws -> ([AccountView], Progress)? {
        let selector: AccountReader.Selector
        if let localID = query.localID {
            selector = .localID(localID)
        } else if let identity = query.identity, let rawID = identity.rawID {
            selector = .identity(providerID: identity.providerID, rawID: rawID)
        } else {
            return nil
        }
        let found = try selector.accounts(scope, in: transaction)
        let matching = try query.matching(found, scope, in: transaction)
        let views = try AccountView.views(of: found.filter { matching.contains($0.localID) }, scope, in: transaction)
        return (views, Progress(examined: Int64(found.count)))
    }

    // The place in the result is `nil` when nothing is left.
    private static func search(
        _ query: AccountQuery,
        _ size: Int,
        from start: Progress,
        _ scope: Scope,
        in transaction: Transaction
    ) throws -> ([AccountView], Progress) {
        // One account more than the page shows whether there is another page.
        let chunk = query.isAnsweredByWalk ? size + 1 : Self.chunk
        var (found, end): ([AccountRecord], Progress) = ([], start)
        var isAtEnd = false
        search: while !isAtEnd, end.examined - start.examined < examinedPerPage {
            let steps = try transaction.accounts(scope, along: query.walk, after: end.place, limit: chunk)
            let matching = try query.matching(steps.map(\.account), scope, in: transaction)
            for step in steps {
                if found.count == size { break search }
                end.place = step.place
                end.examined += 1
                if matching.contains(step.account.localID) { found.append(step.account) }
            }
            isAtEnd = steps.count < chunk
        }
        if isAtEnd { end.place = nil }
        return (try AccountView.views(of: found, scope, in: transaction), end)
    }

    // The token is sealed, so that callers cannot invent one, and bound to its scope and query (threat case TEN-06).
    private func token(
        _ place: AccountWalk.Place,
        _ progress: Progress,
        _ query: AccountQuery,
        _ scope: Scope
    ) throws -> String {
        let key: JSONValue =
            switch place.key {
            case .integer(let number): .integer(number)
            case .text(let text): .string(text)
            case .null, .bytes: .null
            }
        let parts: JSONValue = .array([
            .string(query.fingerprint), key, .string(place.localID), .integer(progress.examined),
        ])
        return try sealer.seal(Data(Self.label.utf8) + Data(parts.text.utf8), for: .pageToken, scope: scope)
    }

    // Tells these tokens from those of other lists.
    private static let label = "users "

    private func progress(ofToken token: String, _ query: AccountQuery, _ scope: Scope) throws -> Progress {
        guard let opened = try? sealer.open(token, for: .pageToken, scope: scope), opened.starts(with: Self.label.utf8),
            let parts = try? JSONValue.parse(opened.dropFirst(Self.label.utf8.count)),
            bytesEqual(parts[0]?.string, query.fingerprint), let localID = parts[2]?.string, let examined = parts[3]?.integer,
            let key = parts[1]?.integer.map(SQLValue.integer) ?? parts[1]?.string.map(SQLValue.text)
        else { throw APIError(.invalidPageSelection) }
        return Progress(place: .init(key: key, localID: localID), examined: examined)
    }
}
