package import Passwords
package import Project
import Storage
import Tenancy

/// Sign-in with e-mail and password (`Docs/Contract/client-accounts.md` §2).
package struct PasswordSignIn: UsesRuntime {
    let runtime: Runtime
    let throttle: Throttle
    let hasher: PasswordHasher
    let pipeline: SignInPipeline
    let recaptcha: RecaptchaGate

    package struct Result: Sendable {
        package let accepted: AcceptedSignIn
        /// The rules that the password violates while the policy does not force an upgrade.
        package let violations: [PasswordPolicy.Violation]
    }

    /// Signs in.
    ///
    /// An unknown address, an account without a password and a wrong password take the same time, whatever the algorithm of the
    /// hash.
    package func signIn(
        email: String?,
        password: String?,
        captcha: RecaptchaAnswer,
        context: CallContext
    ) async throws -> Result {
        try await context.refusalFacts.following("password") { try await signIn(email, password, captcha, context) }
    }

    private func signIn(
        _ email: String?,
        _ password: String?,
        _ captcha: RecaptchaAnswer,
        _ context: CallContext
    ) async throws -> Result {
        let configuration = try await configurations.configuration(of: context.scope)
        let policy = configuration.policy
        guard policy.allowsPassword else { throw APIError(.passwordLoginDisabled) }
        context.refusalFacts.pass(.methodEnabled)
        let email = try require(EmailAddress.canonical(try require(email, .missingEmail), mode: mode), .invalidEmail)
        let password = try require(password.flatMap { $0.isEmpty ? nil : $0 }, .missingPassword)
        try await recaptcha.checkEmailPassword(
            captcha,
            action: .signInWithPassword,
            configuration: configuration,
            context: context
        )
        // The attempt is counted before the password is checked, so that parallel guesses stay within the limit.
        let attempt = try await throttle.passwordAttempt(email: email, context: context)
        context.refusalFacts.pass(.withinLimits)
        let checked = try await throttle.checking(attempt, outcome: Self.outcome) {
            let (account, works) = try await database.read { transaction in
                (try transaction.account(context.scope, email: email), try transaction.passwordWorks(context.scope))
            }
            let client = throttle.share(of: context, for: attempt)
            return try await check(password, of: account, works, policy, client, context.refusalFacts)
        }
        let violations = configuration.passwordPolicy.isEnforced ? configuration.passwordPolicy.violations(of: password) : []
        if configuration.passwordPolicy.forcesUpgradeOnSignIn, !violations.isEmpty {
            throw PasswordPolicy.refusal(violations)
        }
        let outcome = try await pipeline.complete(
            SignInProof(method: .password(checked)),
            policy: policy,
            context: context
        )
        return Result(accepted: try outcome.accepted(), violations: violations)
    }

    private static func outcome(of error: any Error) -> Throttle.GuessOutcome {
        switch error {
        case let error as APIError where !error.isOverload: .wrong
        // Only a report of success has an outcome.
        case StorageError.outcomeUnknown: .unknown
        default: .unchecked
        }
    }

    private func check(
        _ password: String,
        of account: AccountRecord?,
        _ works: [PasswordWork],
        _ policy: SignInPolicy,
        _ client: HashingClient?,
        _ facts: RefusalFacts
    ) async throws -> SignInProof.CheckedPassword {
        let wrong = APIError(policy.hidesAccounts ? .invalidLoginCredentials : .invalidPassword)
        guard let account else {
            _ = try await hasher.verify(password, against: nil, among: works, for: client)
            throw APIError(policy.hidesAccounts ? .invalidLoginCredentials : .emailNotFound)
        }
        facts.pass(.accountFound)
        if account.isDisabled, !policy.hidesAccounts { throw APIError(.userDisabled) }
        guard let text = account.passwordHash, let stored = StoredPassword(text: text) else {
            _ = try await hasher.verify(password, against: nil, among: works, for: client)
            throw wrong
        }
        switch try await hasher.verify(password, against: stored, among: works, for: client) {
        case .wrong: throw wrong
        case .right(let needsRehash):
            facts.pass(.credentialVerified)
            // The right password was given, so the caller may learn that the account is disabled.
            if account.isDisabled { throw APIError(.userDisabled) }
            return SignInProof.CheckedPassword(
                localID: account.localID,
                storedText: text,
                rehashedText: needsRehash ? try await hasher.hash(password, for: client).text : nil
            )
        }
    }
}
