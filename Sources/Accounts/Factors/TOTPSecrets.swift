import Foundation
package import Project
import Storage
import Tokens

/// Seals TOTP secrets for the time of enrolment and for the store. A secret is shown once, when it is offered
/// (threat case MFA-07).
package struct TOTPSecrets: Sendable {
    let environment: ServerEnvironment
    let sealer: TokenSealer

    // The time in which a user must complete the enrolment.
    private static let enrollmentTime = Duration.seconds(600)

    /// A secret that the user is about to set up.
    package struct Offer: Sendable {
        /// The secret in base32.
        package let sharedSecretKey: String
        package let sessionInfo: String
        package let finalizeEnrollmentTime: Timestamp
    }

    /// The content of ``Offer/sessionInfo``.
    struct Session: Codable, Sendable {
        let localID: String
        /// The generation of the account when the secret was offered.
        let generation: Int64
        let secret: [UInt8]
        /// A random id, by which the session is used up.
        let id: [UInt8]
        /// Milliseconds since the epoch.
        let expiresAt: Int64
    }

    /// Draws a secret for an account.
    func offer(to account: AccountRecord, scope: Scope) throws -> Offer {
        let deadline = environment.now().advanced(by: Self.enrollmentTime)
        let secret = environment.random(TOTP.secretLength)
        let session = Session(
            localID: account.localID,
            generation: account.proofGeneration,
            secret: secret,
            id: environment.random(16),
            expiresAt: deadline.milliseconds
        )
        return Offer(
            sharedSecretKey: TOTP.base32(secret),
            sessionInfo: try sealer.seal(JSONEncoder().encode(session), for: .totpEnrollment, scope: scope),
            finalizeEnrollmentTime: deadline
        )
    }

    /// Opens the session of an offer to an account.
    ///
    /// - Throws: `APIError` `INVALID_SESSION_INFO`, `SESSION_EXPIRED`.
    func open(_ sessionInfo: String, of account: AccountRecord, scope: Scope) throws -> Session {
        guard let data = try? sealer.open(sessionInfo, for: .totpEnrollment, scope: scope),
            let session = try? JSONDecoder().decode(Session.self, from: data), session.localID == account.localID,
            session.generation == account.proofGeneration
        else { throw APIError(.invalidSessionInfo) }
        guard environment.now().milliseconds < session.expiresAt else { throw APIError(.sessionExpired) }
        return session
    }

    /// Seals a secret for the store.
    func sealed(_ secret: [UInt8], scope: Scope) throws -> String {
        try sealer.seal(Data(secret), for: .totpSecret, scope: scope)
    }

    /// Checks a code against an enrolled factor. Pure: the transaction that calls it stores the result.
    ///
    /// - Returns: The factor, with the step of the code recorded so that no code of it is accepted again.
    /// - Throws: `APIError` `INVALID_CODE`, `INVALID_ARGUMENT` for a factor of another kind.
    func check(
        _ code: String,
        of factor: SecondFactor,
        adjacentIntervals: Int,
        scope: Scope,
        at time: Timestamp
    ) throws -> SecondFactor {
        guard case .totp(let sealedSecret) = factor.kind else {
            throw APIError(.invalidArgument, SecondFactorRules.unsupportedFactor)
        }
        let secret = Array(try sealer.open(sealedSecret, for: .totpSecret, scope: scope))
        let step = TOTP.acceptedStep(
            code,
            secret: secret,
            after: factor.lastTimeStep,
            adjacentIntervals: adjacentIntervals,
            at: time
        )
        var factor = factor
        factor.lastTimeStep = try require(step, .invalidCode)
        return factor
    }
}
