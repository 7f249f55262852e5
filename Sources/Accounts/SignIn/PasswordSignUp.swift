import Passwords
package import Project
import Storage
import Tenancy
import Tokens

/// Sign-up with e-mail and password, and adding both to a signed-in account (`Docs/Contract/client-accounts.md` §1).
package struct PasswordSignUp: UsesRuntime {
    let runtime: Runtime
    let idTokens: IDTokenRules
    let throttle: Throttle
    let hasher: PasswordHasher
    let pipeline: SignInPipeline
    let recaptcha: RecaptchaGate

    /// Creates an account, or adds the password to one.
    ///
    /// - Parameter request: Its ID token is that of the account to add the password to. Only development stores its second factors.
    /// - Throws: `APIError` in the contract's order, with the ID token checked last.
    package func signUp(
        _ request: AccountCreation.Request,
        captcha: RecaptchaAnswer,
        context: CallContext
    ) async throws -> AcceptedSignIn.Session {
        var context = context
        let linkTo = idTokens.select(request.idToken, in: &context)
        let scope = context.scope
        let configuration = try await configurations.configuration(of: scope)
        let policy = configuration.policy
        let named = try require(request.email.flatMap { $0.isEmpty ? nil : $0 }, .missingEmail)
        let password = try require(request.password, .missingPassword)
        guard policy.allowsPassword else { throw APIError(.operationNotAllowed) }
        let email = try require(EmailAddress.canonicalNew(named, mode: mode), .invalidEmail)
        try await recaptcha.checkEmailPassword(
            captcha,
            action: .signUpPassword,
            configuration: configuration,
            context: context
        )
        try await checkFree(email, for: try? linkTo?.get(), policy, context)
        try configuration.passwordPolicy.check(password)
        let factors = try AdminEnrollments.ofNewAccount(request.enrollments, environment: environment, mode: mode)
        let token = try linkTo?.get()
        if let token {
            let time = environment.now()
            try await database.read { transaction in
                let account = try IDTokenRules.authorizedAccount(of: token, in: transaction)
                try idTokens.recentLogin.checkPassword(token, of: account, email: email, policy, at: time, in: transaction)
            }
            try await throttle.newPassword(by: token, context: context)
        } else {
            if policy.disablesUserSignUp { throw APIError(.adminOnlyOperation) }
            try await throttle.signUp(context: context)
        }
        let proof = SignInProof.NewPassword(
            email: email,
            storedText: try await hasher.hash(password, for: throttle.share(of: context)).text,
            // Where none is sent an account keeps its name, but not in the emulator.
            displayName: request.displayName.flatMap { $0.isEmpty ? nil : $0 } ?? (mode.signUpClearsName ? "" : nil),
            mayKeepAddress: mode.signUpTakesOwnAddress
        )
        var method = SignInProof(method: .newPassword(proof), linkTo: token)
        method.secondFactors = factors
        return try await pipeline.complete(method, configuration: configuration, context: context).session()
    }

    // The account's own address may get a password (`Docs/Contract/rulings.md` 26). With account hiding on, an account that has
    // an address gets the same answer for a taken address as for a free one. Every other answer tells of the address: also that to a weak
    // password, which only a free one gets.
    private func checkFree(
        _ email: String,
        for token: VerifiedIDToken?,
        _ policy: SignInPolicy,
        _ context: CallContext
    ) async throws {
        if mode.signUpTakesOwnAddress, let token {
            let own = try await database.read { try $0.account(token.scope, localID: token.localID)?.email }
            if own == email || policy.hidesAccounts && own != nil { return }
        }
        _ = try await throttle.addressLookUp(context: context)
        if let holder = try await database.read({ try $0.account(context.scope, email: email) }) {
            throw APIError(.emailExists).about(heldBy: token == nil ? nil : holder.localID)
        }
    }
}
