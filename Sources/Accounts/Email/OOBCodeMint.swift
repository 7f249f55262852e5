package import Project
package import Storage
package import Tokens

/// Makes one-time codes.
package struct OOBCodeMint: Sendable {
    /// How long codes live, in seconds (`limits.oob.*`).
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

    /// A code about to be stored.
    package struct Draft: Sendable {
        /// What goes into the link.
        package let code: String
        package var record: OOBCodeRecord
    }

    private let environment: ServerEnvironment
    private let sealer: TokenSealer
    private let lifetimes: Lifetimes
    private let mode: ServerMode

    // As long as the emulator's (`contract/tokens.md` §8).
    private static let codeLength = 54
    // Development's codes never expire.
    private static let forEver = Duration.seconds(86_400 * 36_500)

    package init(environment: ServerEnvironment, sealer: TokenSealer, lifetimes: Lifetimes, mode: ServerMode) {
        self.environment = environment
        self.sealer = sealer
        self.lifetimes = lifetimes
        self.mode = mode
    }

    /// Draws a code.
    ///
    /// - Parameters:
    ///   - type: What it is for.
    ///   - email: Where it goes.
    ///   - scope: Where it may be used.
    /// - Returns: The code and what the store keeps of it.
    /// - Throws: When sealing fails.
    package func draft(_ type: OOBRequestType, email: String, scope: Scope) throws -> Draft {
        let now = environment.now()
        let code = environment.randomText(length: Self.codeLength)
        let lifetime = mode == .development ? Self.forEver : .seconds(seconds(type))
        var record = OOBCodeRecord(
            hash: sha256(code.utf8),
            type: type,
            email: email,
            createdAt: now,
            expiresAt: now.advanced(by: lifetime)
        )
        if mode == .development { record.sealedCode = try sealer.seal(.init(code.utf8), for: .oobCode, scope: scope) }
        return Draft(code: code, record: record)
    }

    /// The code of a record that development keeps.
    package func code(of record: OOBCodeRecord, scope: Scope) -> String? {
        record.sealedCode.flatMap { try? sealer.open($0, for: .oobCode, scope: scope) }.map {
            String(decoding: $0, as: UTF8.self)
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
