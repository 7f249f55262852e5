import Foundation
import Project
import Storage
import Tokens
import WebAuthn

/// Challenges of passkey ceremonies. A challenge is a sealed value, so it needs no row before it is used.
package struct PasskeyChallenges: Sendable {
    let environment: ServerEnvironment
    let sealer: TokenSealer
    /// The relying party; read at each use, because the public URL's port may be bound late.
    let party: @Sendable () -> RelyingParty

    private static let lifetime = Duration.seconds(300)

    /// The purpose of a challenge.
    enum Purpose: Sendable {
        /// Adding a passkey to this account in this generation.
        case enrollment(localID: String, generation: Int64)
        case signIn

        /// Adding a passkey to an account in its present generation.
        static func enrollment(of account: AccountRecord) -> Purpose {
            .enrollment(localID: account.localID, generation: account.proofGeneration)
        }

        fileprivate var sealed: (purpose: TokenSealer.Purpose, subject: String) {
            switch self {
            case .enrollment(let localID, let generation): (.passkeyEnrollment, "\(generation):\(localID)")
            case .signIn: (.passkeySignIn, "")
            }
        }
    }

    /// A valid challenge that came back.
    struct Accepted: Sendable {
        /// SHA-256 of the challenge, for the replay guard.
        let hash: [UInt8]
        /// The time at which the challenge expires.
        let expiresAt: Timestamp
    }

    private struct Content: Codable {
        /// The account and generation that the challenge was made for.
        let subject: String
        let expiresAt: Int64
    }

    /// Makes a challenge.
    func make(for purpose: Purpose, scope: Scope) throws -> [UInt8] {
        let expiry = environment.now().advanced(by: Self.lifetime)
        let content = Content(subject: purpose.sealed.subject, expiresAt: expiry.milliseconds)
        let text = try sealer.seal(
            JSONEncoder().encode(content),
            for: purpose.sealed.purpose,
            scope: scope,
            expiresAt: expiry
        )
        return Base64URL.decode(text.utf8) ?? []
    }

    /// Checks a challenge that came back; the transaction must still use it up.
    ///
    /// - Parameter text: The challenge from the client data, in base64url.
    /// - Throws: `APIError` `INVALID_AUTHENTICATOR_RESPONSE`.
    func accept(_ text: String, for purpose: Purpose, scope: Scope) throws -> Accepted {
        guard let data = try? sealer.open(text, for: purpose.sealed.purpose, scope: scope),
            let content = try? JSONDecoder().decode(Content.self, from: data), content.subject == purpose.sealed.subject
        else { throw RelyingParty.refusal("The challenge is not one of ours, or has expired.") }
        return Accepted(hash: sha256(text.utf8), expiresAt: Timestamp(milliseconds: content.expiresAt))
    }
}
