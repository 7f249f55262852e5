import Foundation
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

    /// A code as development shows it.
    package struct Shown: Sendable, Codable {
        package let code: String
        package let link: String
    }

    private let environment: ServerEnvironment
    private let sealer: TokenSealer
    private let lifetimes: Lifetimes
    private let mode: ServerMode
    private let logger: Logger
    private let latest = LockedState(Timestamp(milliseconds: 0))

    // The length of the emulator's codes (`contract/tokens.md` §8).
    private static let codeLength = 54

    package init(
        environment: ServerEnvironment,
        sealer: TokenSealer,
        lifetimes: Lifetimes,
        mode: ServerMode,
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
        let lifetime = mode == .development ? Duration.forEver : .seconds(seconds(type))
        let record = OOBCodeRecord(
            hash: sha256(code.utf8),
            type: type,
            email: email,
            createdAt: now,
            expiresAt: now.advanced(by: lifetime)
        )
        return Draft(code: code, record: record)
    }

    /// Keeps a code and its link in the record in development, where tests ask for them, and writes the link to the log. Does
    /// nothing in production.
    ///
    /// - Parameters:
    ///   - link: The code's link.
    ///   - draft: The code.
    ///   - scope: The scope in which the code can be used.
    /// - Throws: When sealing fails.
    package func keep(_ link: String, in draft: inout Draft, scope: Scope) throws {
        guard mode == .development else { return }
        let shown = try JSONEncoder().encode(Shown(code: draft.code, link: link))
        draft.record.sealedCode = try sealer.seal(shown, for: .oobCode, scope: scope)
        logger.notice("To \(draft.record.type.purpose) \(draft.record.email), follow this link: \(link)")
    }

    /// Opens the code and link that development keeps in a record; `nil` when there are none.
    package func shown(_ record: OOBCodeRecord, scope: Scope) -> Shown? {
        guard let sealed = record.sealedCode, let opened = try? sealer.open(sealed, for: .oobCode, scope: scope) else {
            return nil
        }
        return try? JSONDecoder().decode(Shown.self, from: opened)
    }

    // Tests use the latest code of development, so no two codes have the same millisecond.
    private func time() -> Timestamp {
        let now = environment.now()
        guard mode == .development else { return now }
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

extension OOBRequestType {
    /// The effect of a link, in words for the log.
    fileprivate var purpose: String {
        switch self {
        case .passwordReset: "reset the password for"
        case .verifyEmail: "verify the email address"
        case .emailSignIn: "sign in as"
        case .verifyAndChangeEmail: "verify and change the email address"
        case .recoverEmail: "reset the email address to"
        case .revertSecondFactorAddition: "take back the second factor of"
        }
    }
}
