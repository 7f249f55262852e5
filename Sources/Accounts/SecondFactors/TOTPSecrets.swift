import Foundation
package import Project
import Storage
package import Tokens

/// Keeps TOTP secrets: sealed on their way to the user's authenticator and in the store, and never shown again after that
/// (threat case MFA-07).
package struct TOTPSecrets: Sendable {
    private let sealer: TokenSealer
    private let environment: ServerEnvironment

    // How long a user may take to set an authenticator up.
    private static let enrollmentTime = Duration.seconds(600)

    /// - Parameters:
    ///   - sealer: Encrypts the secrets.
    ///   - environment: Clock and randomness.
    package init(sealer: TokenSealer, environment: ServerEnvironment) {
        self.sealer = sealer
        self.environment = environment
    }

    /// A secret that the user is about to set up.
    package struct Offer: Sendable {
        /// Base32.
        package let sharedSecretKey: String
        package let sessionInfo: String
        package let finalizeEnrollmentTime: Timestamp
    }

    /// What ``Offer/sessionInfo`` holds.
    struct Session: Codable, Sendable {
        let localID: String
        /// The account's generation of sealed tokens when it was offered.
        let generation: Int64
        let secret: [UInt8]
        /// Makes the session one that can be used up.
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

    /// Opens a session that an account was offered.
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

    /// A secret as the store keeps it.
    func sealed(_ secret: [UInt8], scope: Scope) throws -> String {
        try sealer.seal(Data(secret), for: .totpSecret, scope: scope)
    }

    /// Checks a code against an enrolled factor. Pure: for use inside a transaction, which stores what is returned.
    ///
    /// - Parameters:
    ///   - code: What the user typed.
    ///   - factor: The factor as stored.
    ///   - adjacentIntervals: See ``MFAPolicy/totpAdjacentIntervals``.
    ///   - scope: The account's.
    ///   - time: Now.
    /// - Returns: The factor, which takes no code of this step any more.
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
