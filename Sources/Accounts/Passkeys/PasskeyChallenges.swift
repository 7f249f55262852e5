import Foundation
import Project
import Storage
import Tokens
import WebAuthn

/// The ceremonies of passkeys, those of users and those of operators: their challenges, and the check of what authenticators answer. A
/// challenge is a sealed value, so it needs no row before it is used.
package struct PasskeyChallenges: Sendable {
    let environment: ServerEnvironment
    let sealer: TokenSealer
    /// The relying party; read at each use, because the public URL's port may be bound late.
    let party: @Sendable () -> RelyingParty
    /// The refusal of a challenge that is not ours, has expired or was used.
    var ended: @Sendable (String) -> any Error = { RelyingParty.refusal($0) }

    private static let lifetime = Duration.seconds(300)

    /// What a challenge is for. It is good for nothing else.
    struct Purpose: Sendable {
        let sealed: TokenSealer.Purpose
        let subject: String
        /// Whether the ceremony asks for no passkey in particular. Then the authenticator has to say whose it is.
        var namesNobody = false

        /// Adding a passkey to an account in its present generation.
        static func enrollment(of account: AccountRecord) -> Purpose {
            Purpose(sealed: .passkeyEnrollment, subject: "\(account.proofGeneration):\(account.localID)")
        }

        /// The sign-in of a user. Clients of the API leave out whose passkey it is.
        static let signIn = Purpose(sealed: .passkeySignIn, subject: "")
    }

    /// A valid challenge that came back.
    struct Accepted: Sendable {
        fileprivate let hash: [UInt8]
        fileprivate let expiresAt: Timestamp
        fileprivate let scope: Scope
        fileprivate let ended: @Sendable (String) -> any Error

        /// Uses the challenge up (threat case PKY-03).
        func use(in transaction: Transaction) throws {
            guard try transaction.useCredential(scope, hash: hash, expiresAt: expiresAt) else {
                throw ended("The challenge was used before.")
            }
        }
    }

    /// An assertion whose signature was verified, and which the transaction must still accept.
    struct Assertion: Sendable {
        let signCount: Int64
        fileprivate let challenge: Accepted

        /// Uses the challenge up, and checks that the passkey's counter has grown: one that does not indicates a copied authenticator
        /// (WebAuthn §7.2, step 22).
        func accept(after last: Int64, in transaction: Transaction) throws {
            try challenge.use(in: transaction)
            guard signCount > last || signCount == 0 && last == 0 else {
                throw RelyingParty.refusal("The signature counter went back.")
            }
        }
    }

    private struct Content: Codable {
        let subject: String
        let expiresAt: Int64
    }

    func make(for purpose: Purpose, scope: Scope) throws -> [UInt8] {
        let expiry = environment.now().advanced(by: Self.lifetime)
        let content = Content(subject: purpose.subject, expiresAt: expiry.milliseconds)
        let text = try sealer.seal(JSONEncoder().encode(content), for: purpose.sealed, scope: scope, expiresAt: expiry)
        return Base64URL.decode(text.utf8) ?? []
    }

    /// Verifies a registration. The transaction must still use the challenge up.
    ///
    /// - Throws: `APIError`; ``ended``.
    func registration(
        _ response: AuthenticatorResponse,
        for purpose: Purpose,
        scope: Scope
    ) throws -> (PasskeyRegistration, Accepted) {
        let (challenge, clientData) = try accept(response, .create, for: purpose, scope: scope)
        return (try PasskeyRegistration(response, clientData: clientData, party: party()), challenge)
    }

    /// Verifies an assertion.
    ///
    /// - Parameter publicKey: Development stores passkeys without a key, which sign nobody in where passkeys are verified.
    /// - Throws: `APIError`; ``ended``.
    func assertion(
        _ response: AuthenticatorResponse,
        for purpose: Purpose,
        scope: Scope,
        holder: String,
        publicKey: [UInt8]?
    ) throws -> Assertion {
        let (challenge, clientData) = try accept(response, .get, for: purpose, scope: scope)
        let assertion = try PasskeyAssertion(
            response,
            clientData: clientData,
            userHandle: Array(holder.utf8),
            namedNobody: purpose.namesNobody,
            publicKey: publicKey,
            party: party()
        )
        return Assertion(signCount: assertion.signCount, challenge: challenge)
    }

    private func accept(
        _ response: AuthenticatorResponse,
        _ ceremony: RelyingParty.Ceremony,
        for purpose: Purpose,
        scope: Scope
    ) throws -> (challenge: Accepted, clientData: [UInt8]) {
        let clientData = try AuthenticatorResponse.member(response.clientData, "clientDataJSON")
        let text = try party().challenge(inClientData: clientData, of: ceremony)
        guard let data = try? sealer.open(text, for: purpose.sealed, scope: scope),
            let content = try? JSONDecoder().decode(Content.self, from: data), content.subject == purpose.subject
        else { throw ended("The challenge is not one of ours, or has expired.") }
        let expiry = Timestamp(milliseconds: content.expiresAt)
        return (Accepted(hash: sha256(text.utf8), expiresAt: expiry, scope: scope, ended: ended), clientData)
    }
}
