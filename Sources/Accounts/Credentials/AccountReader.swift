package import Project
package import Storage
import Tenancy
import Tokens

/// An account with its linked identities.
package struct AccountView: Sendable {
    package let scope: Scope
    package let account: AccountRecord
    package let identities: [IdentityRecord]
    /// The passkeys; filled only when a single account is looked up by its ID token, and for operators
    /// who look at one user.
    package var passkeys: [PasskeyRecord] = []

    /// The account without its phone numbers, for those who may not see them whole.
    package var withoutNumbers: AccountView {
        var account = account
        account.phoneNumber = nil
        account.secondFactors = account.secondFactors.filter { if case .phone = $0.kind { false } else { true } }
        return AccountView(scope: scope, account: account, identities: identities, passkeys: passkeys)
    }
}

extension AccountRecord {
    /// Whether the account has an entry in `providerUserInfo` (`Docs/Contract/client-accounts.md` §0.3).
    func hasProvider(_ identities: [IdentityRecord]) -> Bool {
        !identities.isEmpty || phoneNumber != nil || (email != nil && (passwordHash != nil || hasEmailLinkSignIn))
    }

    /// Counts the identities that come before the password in `providerUserInfo`: those that were linked before it was set
    /// (`Docs/Contract/client-accounts.md` §0.3). An e-mail link alone counts from the account's creation.
    ///
    /// - Parameter identities: The account's identities, in the order of linking.
    package func identitiesBeforePassword(_ identities: [IdentityRecord]) -> Int {
        let since = passwordUpdatedAt ?? createdAt
        return identities.prefix { $0.linkedAt.map { $0 <= since } ?? false }.count
    }
}

/// Reads accounts (`Docs/Contract/client-accounts.md` §8).
package struct AccountReader: UsesRuntime {
    let runtime: Runtime
    let idTokens: IDTokenRules

    /// Reads the caller's account, or those that an administrator names.
    ///
    /// - Parameter idToken: The caller's token. An administrator's selects no account, but must not be of another tenant
    ///   (`Docs/Contract/conventions.md` §2.1).
    /// - Throws: `APIError` `MISSING_ID_TOKEN`, and those of the ID token rules.
    package func read(_ selectors: [Selector], idToken: String?, context: CallContext) async throws -> [AccountView] {
        guard context.isPrivileged else {
            return [try await account(idToken: try require(idToken, .missingIDToken), context: context)]
        }
        if let idToken { try idTokens.checkTenant(of: idToken, scope: context.scope) }
        return try await accounts(selectors, context: context)
    }

    package func account(idToken: String, context: CallContext) async throws -> AccountView {
        let token = try idTokens.verify(idToken, scope: context.scope)
        try await configurations.requireServed(token.scope, namedIn: context)
        return try await database.read { transaction in
            let account = try IDTokenRules.authorizedAccount(of: token, in: transaction)
            return AccountView(
                scope: token.scope,
                account: account,
                identities: try transaction.identities(token.scope, localID: account.localID),
                passkeys: try transaction.passkeys(token.scope, localID: account.localID)
            )
        }
    }

    /// The ways in which an administrator may look accounts up.
    package enum Selector: Sendable, Hashable {
        case localID(String)
        case email(String)
        case phoneNumber(String)
        case identity(providerID: String, rawID: String)
        case initialEmail(String)
    }

    /// Reads the accounts that the selectors find, in the order of the selectors, each account once.
    package func accounts(_ selectors: [Selector], context: CallContext) async throws -> [AccountView] {
        let scope = context.scope
        try await configurations.requireServed(scope)
        return try await database.read { transaction in
            var seen: Set<String> = []
            let accounts = try selectors.flatMap { selector in
                try selector.accounts(scope, in: transaction).filter { seen.insert($0.localID).inserted }
            }
            return try AccountView.views(of: accounts, scope, in: transaction)
        }
    }
}

extension AccountReader.Selector {
    // The most accounts shown for one initial address.
    private static let sharingInitialEmail = 100

    func accounts(_ scope: Scope, in transaction: Transaction) throws -> [AccountRecord] {
        let found: AccountRecord?
        switch self {
        case .localID(let localID): found = try transaction.account(scope, localID: localID)
        case .email(let email), .identity("password", let email):
            found = try transaction.account(scope, email: email.lowercased())
        case .phoneNumber(let number), .identity("phone", let number):
            found = try transaction.account(scope, phoneNumber: number)
        case .identity(let providerID, let rawID):
            found = try transaction.account(scope, providerID: providerID, rawID: rawID)
        case .initialEmail(let email):
            return try transaction.accounts(scope, initialEmail: email.lowercased(), limit: Self.sharingInitialEmail)
        }
        return [found].compactMap(\.self)
    }
}
