package import Passwords
package import Project
package import Storage
import Tokens

/// Sign-up with e-mail and password, and the addition of both to a signed-in account (`contract/client-accounts.md` §1).
package struct PasswordSignUp: Sendable {
    private let database: any Database
    private let configurations: ConfigurationStore
    private let hasher: PasswordHasher
    private let throttle: Throttle
    private let idTokens: IDTokenRules
    private let pipeline: SignInPipeline
    private let recaptcha: RecaptchaGate
    private let recentLogin: RecentLoginRule
    private let credentials: CredentialChange
    private let environment: ServerEnvironment
    private let mode: ServerMode

    package init(
        database: any Database,
        configurations: ConfigurationStore,
        hasher: PasswordHasher,
        throttle: Throttle,
        idTokens: IDTokenRules,
        pipeline: SignInPipeline,
        recaptcha: RecaptchaGate,
        recentLogin: RecentLoginRule,
        credentials: CredentialChange,
        environment: ServerEnvironment,
        mode: ServerMode
    ) {
        self.database = database
        self.configurations = configurations
        self.hasher = hasher
        self.throttle = throttle
        self.idTokens = idTokens
        self.pipeline = pipeline
        self.recaptcha = recaptcha
        self.recentLogin = recentLogin
        self.credentials = credentials
        self.environment = environment
        self.mode = mode
    }

    /// What the client asks for.
    package struct Request: Sendable {
        package var email: String?
        package var password: String?
        package var displayName: String?
        /// The account to add the password to.
        package var idToken: String?
        /// What the call brings of reCAPTCHA.
        package var captcha: RecaptchaAnswer
        /// Second factors, which development stores.
        package var enrollments: [AdminEnrollment]

        package init(
            email: String?,
            password: String?,
            displayName: String?,
            idToken: String?,
            captcha: RecaptchaAnswer,
            enrollments: [AdminEnrollment] = []
        ) {
            self.captcha = captcha
            self.enrollments = enrollments
            self.email = email
            self.password = password
            self.displayName = displayName
            self.idToken = idToken
        }
    }

    /// Creates or links.
    ///
    /// - Parameters:
    ///   - request: What the client asks for.
    ///   - context: The call.
    /// - Returns: The new session.
    /// - Throws: `APIError` in the contract's order: the ID token is looked at last; `StorageError`.
    package func run(_ request: Request, context: CallContext) async throws -> SignInOutcome.SignedIn {
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
            request.captcha,
            action: .signUpPassword,
            configuration: configuration,
            context: context
        )
        if try await database.read({ try $0.account(scope, email: email) }) != nil {
            try await throttle.takenEmail(context: context)
            throw APIError(.emailExists)
        }
        try configuration.passwordPolicy.check(password)
        let factors = try AdminEnrollments.ofNewAccount(request.enrollments, environment: environment, mode: mode)
        let token = try linkTo?.get()
        var recovery: OOBNotice?
        if let token {
            let account = try await database.read { try IDTokenRules.account(of: token, in: $0) }
            try recentLogin.checkPassword(token, of: account, at: environment.now())
            // As an update of the address: one that nobody has proven is not put in the place of another (threat case LNK-09).
            if mode == .production, policy.hidesAccounts, account.email != nil {
                throw APIError(.operationNotAllowed, "Please verify the new email before changing email.")
            }
            recovery = try credentials.recovery(of: account, linking: email, token, configuration, context)
        } else {
            if policy.disablesUserSignUp { throw APIError(.adminOnlyOperation) }
            try await throttle.signUp(context: context)
        }
        let proof = SignInProof.NewPassword(
            email: email,
            storedText: try await hasher.hash(password).text,
            // Where none is sent an account keeps its name, but not in the emulator.
            displayName: request.displayName.flatMap { $0.isEmpty ? nil : $0 } ?? (mode == .production ? nil : ""),
            recovery: recovery
        )
        var method = SignInProof(method: .newPassword(proof), linkTo: token, linkRule: recentLogin)
        method.secondFactors = factors
        let session = try await pipeline.complete(method, policy: policy, context: context).session(or: .emailExists)
        credentials.announce(recovery)
        return session
    }
}
