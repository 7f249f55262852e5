package import Federation
import Foundation
package import Project
import Settings
package import Storage
import Tokens

/// Seals verified identities as `pendingToken`s for clients: each is valid for one more attempt, in the same scope, for a limited
/// time.
package struct PendingCredentials: Sendable {
    let environment: ServerEnvironment
    let sealer: TokenSealer
    let lifetime: Duration
    // The longest provider token that is included, so that a pending token fits a request's field.
    private static let maximumTokenLength = 4096

    /// Seals an identity. Of the provider's tokens it includes only a short access token, so that the client can rebuild its
    /// credential.
    ///
    /// - Parameter account: The account that it has just signed in to; `nil` when it has not been used yet.
    /// - Returns: The `pendingToken`; `nil` when the provider says so much of the user that none could be presented again.
    package func seal(_ identity: VerifiedIdentity, signedInTo account: AccountRecord?, scope: Scope) throws -> String? {
        let expiry = environment.now().advanced(by: lifetime)
        var identity = identity
        identity.idToken = nil
        identity.nonce = nil
        if (identity.accessToken?.utf8.count ?? 0) + (identity.tokenSecret?.utf8.count ?? 0) > Self.maximumTokenLength {
            identity.accessToken = nil
            identity.tokenSecret = nil
        }
        identity.binding = account.map { .init(localID: $0.localID, generation: $0.proofGeneration) }
        identity.refreshToken = nil
        // An unused credential and its pending token count as one: using either uses up both.
        let own = VerifiedIdentity.SingleUse(hash: sha256(environment.random(32)), expiresAt: expiry)
        identity.singleUses = (account == nil ? identity.singleUses : []) + [own]
        if account != nil { identity.refusedAfter = nil }
        let bytes = try JSONEncoder().encode(identity)
        do {
            return try sealer.seal(bytes, for: .pendingCredential, scope: scope, expiresAt: expiry)
        } catch is TokenSealer.TooLong {
            return nil
        }
    }

    /// Opens a `pendingToken`.
    ///
    /// - Returns: The pipeline accepts it once.
    /// - Throws: `APIError` `INVALID_PENDING_TOKEN`.
    package func open(_ text: String, scope: Scope) throws -> VerifiedIdentity {
        do {
            let data = try sealer.open(text, for: .pendingCredential, scope: scope)
            return try JSONDecoder().decode(VerifiedIdentity.self, from: data)
        } catch {
            throw APIError(.invalidPendingToken, cause: error)
        }
    }
}
