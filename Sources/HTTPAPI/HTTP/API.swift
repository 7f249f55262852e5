import Accounts
package import Project
import Tokens

/// The whole HTTP API: the list of endpoints, and the responder that serves them.
package struct API {
    private let table: RouteTable
    private let environment: ServerEnvironment
    private let guardian: DevelopmentGuard?

    /// What the API needs to know of the server's settings.
    package struct Options: Sendable {
        package var mode: ServerMode
        /// The `iss` of ID tokens, for the discovery document.
        package var issuer: String
        /// `server.publicURL`, asked for at each use: with port 0 it is known only once the listener runs.
        package var publicURL: @Sendable () -> String
        /// `server.maxBodyBytes`.
        package var maximumBodyBytes: Int
        /// `development.allowRemote`
        package var allowsRemote: Bool

        package init(
            mode: ServerMode,
            issuer: String,
            publicURL: @escaping @Sendable () -> String,
            maximumBodyBytes: Int,
            allowsRemote: Bool = false
        ) {
            self.mode = mode
            self.allowsRemote = allowsRemote
            self.issuer = issuer
            self.publicURL = publicURL
            self.maximumBodyBytes = maximumBodyBytes
        }
    }

    /// Puts the endpoints together: one line for each.
    package init(
        services: Services,
        auth: CallerAuth,
        clientAddress: ClientAddress,
        environment: ServerEnvironment,
        options: Options
    ) {
        let runner = EndpointRunner(
            auth: auth,
            maximumBodyBytes: options.maximumBodyBytes,
            clientAddress: clientAddress,
            availability: { _ = try await services.configurations.configuration(of: $0) }
        )
        var table = RouteTable(runner: runner)
        table.add(SignUp(anonymous: services.anonymousSignUp, password: services.passwordSignUp))
        table.add(SignInWithPassword(signIn: services.passwordSignIn))
        table.add(SignInWithEmailLink(signIn: services.emailLinkSignIn))
        table.add(SendVerificationCode(sender: services.phone.codeSender))
        table.add(SignInWithPhoneNumber(signIn: services.phone.signIn))
        table.add(VerifyIosClient(verification: services.phone.iosVerification))
        table.add(CreateAuthUri(methods: services.signInMethods))
        table.add(SendOobCode(send: services.sendOOBCode))
        table.add(ResetPassword(reset: services.passwordReset))
        table.add(SignInWithIdp(signIn: services.federatedSignIn))
        table.add(SignInWithCustomToken(signIn: services.customTokenSignIn))
        table.add(Lookup(reader: services.accountReader))
        table.add(
            UpdateAccount(update: services.accountUpdate, codes: services.codeApplication, idTokens: services.idTokens)
        )
        table.add(DeleteAccount(deletion: services.accountDeletion, idTokens: services.idTokens))
        let projectNumber = ProjectNumber(mode: options.mode)
        table.add(SecureToken(refresh: services.tokenRefresh, projectNumber: projectNumber))
        table.add(
            ProjectConfiguration(
                configurations: services.configurations,
                projectNumber: projectNumber,
                mode: options.mode,
                publicURL: options.publicURL
            )
        )
        table.add(PasswordPolicyInfo(configurations: services.configurations))
        table.add(RecaptchaConfig(configurations: services.configurations))
        table.add(
            RecaptchaParams(
                configurations: services.configurations,
                siteKey: services.phone.recaptchaSiteKey,
                mode: options.mode
            )
        )
        if options.mode == .development {
            VerificationCodes(codes: services.phone.codes, configurations: services.configurations).add(to: &table)
        }
        PublicKeys(
            documents: KeyDocuments(keyRing: services.keyRing),
            issuer: options.issuer,
            publicURL: options.publicURL
        ).add(to: &table)
        Health(database: services.database, keyRing: services.keyRing).add(to: &table)
        self.table = table
        self.environment = environment
        guardian =
            options.mode == .development
            ? DevelopmentGuard(allowsRemote: options.allowsRemote, publicURL: options.publicURL) : nil
    }

    /// Every method and path that is served, sorted.
    package var routes: [String] { table.listing }

    /// The outermost responder.
    package func responder() -> FrontDoor { FrontDoor(routes: table.responder(), environment: environment, guardian: guardian) }
}
