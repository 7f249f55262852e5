package import Project
import Settings
package import Storage
import Tokens

/// Makes one-time codes. There is one, because it spaces the times of its codes.
package final class OOBCodeMint: UsesRuntime {
    let runtime: Runtime
    let sealer: TokenSealer
    let lifetimes: LimitSettings.OutOfBand

    /// A code to be stored.
    package struct Draft: Sendable {
        /// The code itself, for the link.
        package let code: String
        package var record: OOBCodeRecord
    }

    private let latest = LockedState(Timestamp(milliseconds: 0))

    init(runtime: Runtime, sealer: TokenSealer, lifetimes: LimitSettings.OutOfBand) {
        self.runtime = runtime
        self.sealer = sealer
        self.lifetimes = lifetimes
    }

    // The length of the emulator's codes (`Docs/Contract/tokens.md` §8).
    private static let codeLength = 54

    /// Draws a code.
    ///
    /// - Parameter createdAt: The time of the change that the code takes back; by default now.
    package func draft(_ type: OOBRequestType, email: String, createdAt: Timestamp? = nil) -> Draft {
        let now = createdAt ?? time()
        let code = environment.randomText(length: Self.codeLength)
        let lifetime = codesExpire ? .seconds(seconds(type)) : Duration.forEver
        let record = OOBCodeRecord(
            hash: sha256(code.utf8),
            type: type,
            email: email,
            createdAt: now,
            expiresAt: now.advanced(by: lifetime)
        )
        return Draft(code: code, record: record)
    }

    // Tests use the latest code of development, so no two codes have the same millisecond.
    private func time() -> Timestamp {
        let now = environment.now()
        guard mode.spacesCodes else { return now }
        return latest.withLock { latest in
            latest = max(now, latest.advanced(by: .milliseconds(1)))
            return latest
        }
    }

    private func seconds(_ type: OOBRequestType) -> Int {
        switch type {
        case .passwordReset: lifetimes.passwordResetSeconds
        case .emailSignIn: lifetimes.emailSigninSeconds
        case .verifyEmail: lifetimes.verifyEmailSeconds
        case .verifyAndChangeEmail: lifetimes.changeEmailSeconds
        case .recoverEmail: lifetimes.recoverEmailSeconds
        case .revertSecondFactorAddition: min(lifetimes.recoverEmailSeconds, SecondFactorRules.mailboxSeconds)
        }
    }
}
