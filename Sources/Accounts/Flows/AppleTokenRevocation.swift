package import Federation
package import Project
import Storage
import Tokens

/// Revokes tokens that Apple issued for a user (`Docs/Contract/client-accounts.md` §14, `accounts:revokeToken`).
package struct AppleTokenRevocation: Sendable {
    let database: any Database
    let environment: ServerEnvironment
    let idTokens: IDTokenRules
    let throttle: Throttle
    let clients: ProviderClients
    let apple: AppleTokens

    /// Revokes a token of the user's own Apple account.
    ///
    /// - Throws: `APIError` of the ID token rules, `OPERATION_NOT_ALLOWED`, `INVALID_IDP_RESPONSE`.
    package func revoke(
        _ token: String,
        _ kind: AppleTokens.Kind,
        redirectURI: String?,
        idToken: String,
        context: CallContext
    ) async throws {
        let verified = try idTokens.verify(idToken, scope: context.scope)
        let scope = verified.scope
        let (localID, subject) = try await database.read { transaction in
            let account = try IDTokenRules.authorizedAccount(of: verified, in: transaction)
            try RecentLoginRule.checkUser(verified)
            let identities = try transaction.identities(scope, localID: account.localID)
            return (account.localID, identities.first { $0.providerID == AppleProvider.providerID }?.rawID)
        }
        let (_, registration) = try await clients.client(AppleProvider.providerID, scope: scope)
        do {
            guard let subject else { throw ProviderError(.claims, "The user has no account at the identity provider.") }
            try await throttle.outgoingCall(context: context) {
                try await apple.revoke(token, kind, redirectURI: redirectURI, of: subject, registration)
            }
        } catch let error as ProviderError {
            throw error.apiError
        }
        let event = AuditEvent(
            eventID: environment.newEventID(),
            occurredAt: environment.now(),
            event: .revokeToken,
            localID: localID,
            actor: "user",
            address: context.address,
            detail: ["provider": .string(AppleProvider.providerID), "type": .string(kind.rawValue)]
        )
        // In a task of its own: Apple has revoked the token even if the client has hung up meanwhile.
        try await Task { [database] in try await database.write { try $0.insertAuditEvent(scope, event) } }.value
    }
}
