package import Logging
package import Project
package import Storage
package import Tokens

/// Makes one-time codes.
package struct OOBCodeMint: Sendable {
    /// The lifetimes of codes in seconds (`limits.oob.*`).
    package struct Lifetimes: Sendable {
        package var passwordReset: Int
        package var emailSignIn: Int
        package var verifyEmail: Int
        package var changeEmail: Int
        package var recoverEmail: Int

        package init(passwordReset: Int, emailSignIn: Int, verifyEmail: Int, changeEmail: Int, recoverEmail: Int) {
            self.passwordReset = passwordReset
            self.emailSignIn = emailSignIn
            self.verifyEmail = verifyEmail
            self.changeEmail = changeEmail
            self.recoverEmail = recoverEmail
        }
    }

    /// A code to be stored.
    package struct Draft: Sendable {
        /// The code itself, for the link.
        package let code: String
        package var record: OOBCodeRecord
    }

    private let environment: ServerEnvironment
    let sealer: TokenSealer
    private let lifetimes: Lifetimes
    let mode: ModeRules
    let logger: Logger
    private let latest = LockedState(Timestamp(milliseconds: 0))

    // The length of the emulator's codes (`Docs/Contract/tokens.md` §8).
    private static let codeLength = 54

    package init(
        environment: ServerEnvironment,
        sealer: TokenSealer,
        lifetimes: Lifetimes,
        mode: ModeRules,
        logger: Logger
    ) {
        self.logger = logger
        self.environment = environment
        self.sealer = sealer
        self.lifetimes = lifetimes
        self.mode = mode
    }

    /// Draws a code.
    ///
    /// - Parameters:
    ///   - type: The purpose of the code.
    ///   - email: The address that the code is sent to.
    ///   - createdAt: The time of the change that the code takes back; by default now.
    /// - Returns: The code and its record for the store.
    package func draft(_ type: OOBRequestType, email: String, createdAt: Timestamp? = nil) -> Draft {
        let now = createdAt ?? time()
        let code = environment.randomText(length: Self.codeLength)
        let lifetime = mode.codesExpire ? .seconds(seconds(type)) : Duration.forEver
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
        case .passwordReset: lifetimes.passwordReset
        case .emailSignIn: lifetimes.emailSignIn
        case .verifyEmail: lifetimes.verifyEmail
        case .verifyAndChangeEmail: lifetimes.changeEmail
        case .recoverEmail, .revertSecondFactorAddition: lifetimes.recoverEmail
        }
    }
}
