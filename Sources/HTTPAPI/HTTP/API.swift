import Accounts
package import Project
import Tokens

/// The HTTP API: the list of endpoints, and the responder that serves them.
package struct API {
    private let table: RouteTable
    private let environment: ServerEnvironment
    private let guardian: DevelopmentGuard?
    private let modeName: String?
    private let privateGuard: PrivateListenerGuard?

    /// The settings that the API needs.
    package struct Options: Sendable {
        package var mode: ModeRules
        /// The `iss` of ID tokens, for the discovery document.
        package var issuer: String
        /// `server.publicURL`. It is read at each use, because with port 0 it is known only once the listener runs.
        package var publicURL: @Sendable () -> String
        /// The size limits of request bodies.
        package var bodyLimits: BodyLimits
        /// `development.allowRemote`
        package var allowsRemote: Bool
        /// Whether the API serves the private listener.
        package var isPrivate: Bool
        /// `/metrics`; `nil` when it is not served.
        package var metrics: MetricsPage?
        /// The API key that web apps receive (`/__/firebase/init.json`).
        package var apiKey: String?
        /// The URL of Google's script for the frame in apps' pages.
        package var gapiScript: String

        package init(
            mode: ModeRules,
            issuer: String,
            publicURL: @escaping @Sendable () -> String,
            bodyLimits: BodyLimits,
            allowsRemote: Bool = false,
            isPrivate: Bool = false,
            metrics: MetricsPage? = nil,
            apiKey: String? = nil,
            gapiScript: String = "https://apis.google.com/js/api.js"
        ) {
            self.apiKey = apiKey
            self.gapiScript = gapiScript
            self.mode = mode
            self.allowsRemote = allowsRemote
            self.isPrivate = isPrivate
            self.metrics = metrics
            self.issuer = issuer
            self.publicURL = publicURL
            self.bodyLimits = bodyLimits
        }
    }

    /// Adds all endpoints.
    package init(
        services: Services,
        auth: CallerAuth,
        clientAddress: ClientAddress,
        environment: ServerEnvironment,
        options: Options
    ) {
        let runner = EndpointRunner(
            auth: auth,
            bodyLimits: options.bodyLimits,
            clientAddress: clientAddress,
            availability: { _ = try await services.configurations.configuration(of: $0) }
        )
        var table = RouteTable(runner: runner, legacyTakesAnyMethod: options.mode.legacyPathsTakeAnyMethod)
        table.add(SignUp(signUp: services.requestedSignUp))
        table.add(SignInWithPassword(signIn: services.passwordSignIn, mode: options.mode))
        table.add(SignInWithEmailLink(signIn: services.emailLinkSignIn))
        table.add(CreateAuthUri(creation: services.authURICreation))
        table.add(RevokeToken(revocation: services.appleTokenRevocation))
        table.add(SendVerificationCode(sender: services.phone.codeSender))
        table.add(SignInWithPhoneNumber(signIn: services.phone.signIn))
        table.add(VerifyIosClient(verification: services.phone.iosVerification))
        table.add(SendOobCode(send: services.sendOOBCode))
        table.add(ResetPassword(reset: services.passwordReset))
        table.add(SignInWithIdp(signIn: services.federatedSignIn, mode: options.mode))
        table.add(SignInWithGameCenter(signIn: services.gameCenterSignIn))
        table.add(SignInWithCustomToken(signIn: services.customTokenSignIn))
        table.add(Lookup(reader: services.accountReader))
        table.add(UpdateAccount(update: services.requestedUpdate))
        table.add(DeleteAccount(deletion: services.accountDeletion, idTokens: services.idTokens))
        let admin = services.admin
        table.add(BatchDelete(deletion: admin.batchDeletion))
        table.add(BatchCreate(importing: admin.accountImport))
        table.add(UploadAccount(importing: admin.accountImport))
        table.add(BatchGet(listing: admin.listing, mode: options.mode))
        table.add(DownloadAccount(listing: admin.listing, mode: options.mode))
        table.add(QueryAccounts(search: admin.search))
        table.add(CreateSessionCookie(cookies: admin.sessionCookies, mode: options.mode))
        table.add(MFAEnrollmentStart(enrollment: services.secondFactorEnrollment))
        table.add(MFAEnrollmentFinalize(enrollment: services.secondFactorEnrollment, mode: options.mode))
        table.add(MFAEnrollmentWithdraw(withdrawal: services.secondFactorWithdrawal))
        table.add(MFASignInStart(signIn: services.secondFactorSignIn))
        table.add(MFASignInFinalize(signIn: services.secondFactorSignIn))
        table.add(PasskeyEnrollmentStart(enrollment: services.passkeyEnrollment))
        table.add(PasskeyEnrollmentFinalize(enrollment: services.passkeyEnrollment))
        table.add(PasskeySignInStart(signIn: services.passkeySignIn))
        table.add(PasskeySignInFinalize(signIn: services.passkeySignIn))
        let projectNumber = ProjectNumber(mode: options.mode)
        table.add(SecureToken(refresh: services.tokenRefresh, projectNumber: projectNumber))
        table.add(
            ProjectConfiguration(
                configurations: services.configurations,
                projectNumber: projectNumber,
                mode: options.mode,
                apiKey: options.apiKey,
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
        if options.mode.servesEmulatorPaths {
            VerificationCodes(codes: services.phone.codes, configurations: services.configurations, auth: auth)
                .add(to: &table)
        }
        Self.addAdministration(services.administration, mode: options.mode, to: &table)
        PublicKeys(
            documents: KeyDocuments(keyRing: services.keyRing),
            auth: auth,
            issuer: options.issuer,
            publicURL: options.publicURL
        ).add(to: &table)
        ReceiveAppleNotification(notifications: services.appleNotifications, clientAddress: clientAddress).add(to: &table)
        OAuth2Token(
            grant: services.serviceAccountGrant,
            clientAddress: clientAddress,
            environment: environment,
            publicURL: options.publicURL
        ).add(to: &table)
        options.metrics?.add(to: &table, auth: auth)
        Health(database: services.database, keyRing: services.keyRing).add(to: &table)
        ActionPage(
            actions: services.emailActions,
            auth: auth,
            clientAddress: clientAddress,
            origins: FormOrigin(publicURL: options.publicURL)
        ).add(to: &table)
        LinkForwarding(actions: services.emailActions, auth: auth).add(to: &table)
        for method in UnimplementedMethod.all(options.mode) { table.add(method) }
        HandlerPage(
            signIn: services.browserSignIn,
            auth: auth,
            clientAddress: clientAddress,
            origins: FormOrigin(publicURL: options.publicURL),
            environment: environment,
            siteKey: services.phone.recaptchaSiteKey,
            publicURL: options.publicURL
        ).add(to: &table)
        IframePage(
            signIn: services.browserSignIn,
            auth: auth,
            environment: environment,
            mode: options.mode,
            gapiScript: options.gapiScript
        ).add(to: &table)
        HelperFiles(signIn: services.browserSignIn, auth: auth, apiKey: options.apiKey).add(to: &table)
        if options.mode.servesEmulatorPaths {
            Self.addEmulator(services, auth: auth, clientAddress: clientAddress, environment: environment, to: &table)
        }
        OpenAPIPage(mode: options.mode, publicURL: options.publicURL).add(to: &table)
        self.table = table
        self.environment = environment
        modeName = options.mode.nameInAnswers
        privateGuard = options.isPrivate ? PrivateListenerGuard(publicURL: options.publicURL) : nil
        guardian =
            options.mode.refusesForeignPages
            ? DevelopmentGuard(allowsRemote: options.allowsRemote, publicURL: options.publicURL) : nil
    }

    /// Every served method and path, sorted.
    package var routes: [String] { table.listing }

    /// The outermost responder.
    package func responder() -> FrontDoor {
        let errors = ErrorRendering(environment: environment)
        return FrontDoor(
            routes: table.responder(errors: errors),
            errors: errors,
            environment: environment,
            guardian: guardian,
            privateGuard: privateGuard,
            modeName: modeName
        )
    }
}
