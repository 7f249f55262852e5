import Foundation
import Project
import Storage
import Tokens
import WebAuthn

/// Challenges of operators' passkey ceremonies. A challenge is a sealed value, so it needs no row before it is used.
struct OperatorChallenges: Sendable {
    let base: OperatorGround

    private static let lifetime = Duration.seconds(300)

    /// What a challenge is for. It is good for nothing else.
    enum Purpose: Sendable {
        /// A passkey for the holder of an invitation, by the hash of its code.
        case invitation([UInt8])
        /// One more passkey of an operator, in the session with a hash.
        case addition([UInt8])
        case signIn
        /// Proof of a factor in the session with a hash.
        case confirmation([UInt8])

        /// Whether the ceremony asks for no passkey in particular, because nobody is known before it.
        var namesNobody: Bool { if case .signIn = self { true } else { false } }

        fileprivate var subject: String {
            switch self {
            case .invitation(let hash): "invitation:\(hexadecimal(hash))"
            case .addition(let hash): "addition:\(hexadecimal(hash))"
            case .signIn: "signIn"
            case .confirmation(let hash): "confirmation:\(hexadecimal(hash))"
            }
        }
    }

    private struct Content: Codable {
        let subject: String
        let expiresAt: Int64
    }

    /// A challenge that came back and must still be used up.
    struct Accepted: Sendable {
        let hash: [UInt8]
        let expiresAt: Timestamp
    }

    /// Makes a challenge.
    func make(for purpose: Purpose) throws -> [UInt8] {
        let expiry = base.environment.now().advanced(by: Self.lifetime)
        let content = Content(subject: purpose.subject, expiresAt: expiry.milliseconds)
        let text = try base.sealer.seal(
            JSONEncoder().encode(content),
            for: .operatorCeremony,
            scope: base.scope,
            expiresAt: expiry
        )
        return Base64URL.decode(text.utf8) ?? []
    }

    /// Checks a challenge that came back in client data.
    ///
    /// - Throws: ``OperatorError/ceremonyEnded``; `APIError` for client data of another ceremony or origin.
    func accept(
        _ response: AuthenticatorResponse,
        _ ceremony: RelyingParty.Ceremony,
        for purpose: Purpose
    ) throws -> (challenge: Accepted, clientData: [UInt8]) {
        let clientData = try AuthenticatorResponse.member(response.clientData, "clientDataJSON")
        let text = try base.party().challenge(inClientData: clientData, of: ceremony)
        guard let data = try? base.sealer.open(text, for: .operatorCeremony, scope: base.scope),
            let content = try? JSONDecoder().decode(Content.self, from: data), content.subject == purpose.subject
        else { throw OperatorError.ceremonyEnded }
        let expiry = Timestamp(milliseconds: content.expiresAt)
        return (Accepted(hash: sha256(text.utf8), expiresAt: expiry), clientData)
    }
}

extension Transaction {
    /// Uses a challenge up (threat case PKY-03).
    ///
    /// - Throws: ``OperatorError/ceremonyEnded`` when it was used before.
    func use(_ challenge: OperatorChallenges.Accepted, _ scope: Scope) throws {
        guard try useCredential(scope, hash: challenge.hash, expiresAt: challenge.expiresAt) else {
            throw OperatorError.ceremonyEnded
        }
    }
}
