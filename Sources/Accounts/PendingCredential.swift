package import Federation
import Foundation
package import Project
package import Storage
package import Tokens

/// A verified identity in the client's keeping (`pendingToken`): good for one more attempt, in the same scope, for a while.
package struct PendingCredentials: Sendable {
    private let sealer: TokenSealer
    private let environment: ServerEnvironment
    private let lifetime: Duration
    // A pending token is a field of a request, and must stay one.
    private static let maximumTokenLength = 4096

    /// - Parameters:
    ///   - sealer: Encrypts the identity.
    ///   - environment: Clock and randomness.
    ///   - lifetime: `limits.pendingTokenSeconds`.
    package init(sealer: TokenSealer, environment: ServerEnvironment, lifetime: Duration) {
        self.sealer = sealer
        self.environment = environment
        self.lifetime = lifetime
    }

    /// Seals an identity. Of the provider's tokens only a short access token goes along, so that the client can build its
    /// credential again.
    ///
    /// - Parameters:
    ///   - identity: What was verified.
    ///   - account: The account that it has just signed in to; `nil` when it has not been used yet.
    ///   - scope: Where it may be presented.
    /// - Returns: The `pendingToken`.
    /// - Throws: When encryption fails.
    package func seal(_ identity: VerifiedIdentity, signedInTo account: AccountRecord?, scope: Scope) throws -> String {
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
        // An unused credential stays one credential: using it in either form uses up the other.
        let own = VerifiedIdentity.SingleUse(hash: sha256(environment.random(32)), expiresAt: expiry)
        identity.singleUses = (account == nil ? identity.singleUses : []) + [own]
        return try sealer.seal(JSONEncoder().encode(identity), for: .pendingCredential, scope: scope, expiresAt: expiry)
    }

    /// Opens a `pendingToken`.
    ///
    /// - Parameters:
    ///   - text: The token.
    ///   - scope: Where it is presented.
    /// - Returns: The identity; the pipeline accepts it once.
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
