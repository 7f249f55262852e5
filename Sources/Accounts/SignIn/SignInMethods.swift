package import Project
import Storage
import Tenancy

/// Finds the sign-in methods of an address (`Docs/Contract/client-accounts.md` §7, `identifier`).
package struct SignInMethods: UsesRuntime {
    let runtime: Runtime

    /// The answer; `known` is `nil` when accounts are hidden.
    package struct Result: Sendable {
        package let sessionID: String
        package let known: Known?
    }

    /// The known facts of an address.
    package struct Known: Sendable {
        package var isRegistered = false
        package var providers: [String] = []
        package var methods: [String] = []
    }

    private static let sessionIDLength = 27

    /// Looks an address up.
    ///
    /// - Parameter sessionID: The client's own session id, returned in the answer.
    /// - Returns: The facts that may be revealed; none when accounts are hidden.
    /// - Throws: `APIError` `INVALID_IDENTIFIER`.
    package func find(identifier: String, sessionID: String?, context: CallContext) async throws -> Result {
        let scope = context.scope
        let policy = try await configurations.configuration(of: scope).policy
        let email = try require(EmailAddress.canonical(identifier, mode: mode), .invalidIdentifier)
        let sessionID = sessionID ?? environment.randomText(length: Self.sessionIDLength)
        if policy.hidesAccounts { return Result(sessionID: sessionID, known: nil) }
        let known = try await database.read { transaction -> Known in
            let owner =
                try transaction.account(scope, email: email)
                ?? transaction.account(scope, providerEmail: email, ownsAddress: policy.allowsDuplicateEmails)
            guard let account = owner else { return Known() }
            let identities =
                policy.allowsDuplicateEmails ? [] : try transaction.identities(scope, localID: account.localID)
            let count = account.identitiesBeforePassword(identities)
            let (before, after) = (identities.prefix(count), identities.dropFirst(count))
            var own: [String] = []
            if account.passwordHash != nil { own.append("password") }
            if account.hasEmailLinkSignIn { own.append("emailLink") }
            return Known(
                isRegistered: true,
                providers: before.map(\.providerID) + (own.isEmpty ? [] : ["password"]) + after.map(\.providerID),
                methods: before.map(\.providerID) + own + after.map(\.providerID)
            )
        }
        return Result(sessionID: sessionID, known: known)
    }
}
