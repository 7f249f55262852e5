import Accounts
import Project
import Settings
import Tokens

// The endpoints of clients, one line for each.
extension API {
    /// Ways in.
    static func addSignIn(_ useCases: UseCases, _ listener: ListenerContext, to table: inout RouteTable) {
        table.add(SignUp(signUp: useCases.signIn.signUp))
        table.add(SignInWithPassword(signIn: useCases.signIn.password, mode: listener.mode))
        table.add(SignInWithEmailLink(signIn: useCases.signIn.emailLink))
        table.add(CreateAuthUri(creation: useCases.flows.authURICreation))
        table.add(SignInWithPhoneNumber(signIn: useCases.signIn.phone))
        table.add(SignInWithIdp(signIn: useCases.signIn.federated, mode: listener.mode))
        table.add(SignInWithGameCenter(signIn: useCases.signIn.gameCenter))
        table.add(SignInWithCustomToken(signIn: useCases.signIn.customToken))
    }

    /// What users do with their accounts.
    static func addAccounts(_ useCases: UseCases, _ listener: ListenerContext, to table: inout RouteTable) {
        table.add(Lookup(reader: useCases.accounts.reader))
        table.add(UpdateAccount(update: useCases.accounts.requestedUpdate))
        table.add(DeleteAccount(deletion: useCases.accounts.deletion))
        table.add(RevokeToken(revocation: useCases.flows.appleTokenRevocation))
    }

    /// Second factors and passkeys.
    static func addFactors(_ useCases: UseCases, _ listener: ListenerContext, to table: inout RouteTable) {
        table.add(MFAEnrollmentStart(enrollment: useCases.accounts.secondFactorEnrollment))
        table.add(MFAEnrollmentFinalize(enrollment: useCases.accounts.secondFactorEnrollment))
        table.add(MFAEnrollmentWithdraw(withdrawal: useCases.accounts.secondFactorWithdrawal))
        table.add(MFASignInStart(signIn: useCases.signIn.secondFactor))
        table.add(MFASignInFinalize(signIn: useCases.signIn.secondFactor))
        table.add(PasskeyEnrollmentStart(enrollment: useCases.accounts.passkeyEnrollment))
        table.add(PasskeyEnrollmentFinalize(enrollment: useCases.accounts.passkeyEnrollment))
        table.add(PasskeySignInStart(signIn: useCases.signIn.passkey))
        table.add(PasskeySignInFinalize(signIn: useCases.signIn.passkey))
    }

    /// Codes by e-mail and SMS.
    static func addCodes(_ useCases: UseCases, _ listener: ListenerContext, to table: inout RouteTable) {
        table.add(SendVerificationCode(sender: useCases.codes.phoneSender))
        table.add(VerifyIosClient(verification: useCases.codes.iosVerification))
        table.add(SendOobCode(send: useCases.codes.send))
        table.add(ResetPassword(reset: useCases.codes.passwordReset))
    }

    /// Tokens, and the keys that verify them.
    static func addTokens(_ useCases: UseCases, _ listener: ListenerContext, to table: inout RouteTable) {
        table.add(SecureToken(refresh: useCases.accounts.tokenRefresh, projectNumber: listener.projectNumber))
        PublicKeys(
            documents: KeyDocuments(keyRing: listener.keyRing),
            environment: useCases.runtime.environment,
            issuer: listener.options.issuer,
            projectID: listener.auth.project.projectID,
            publicURL: listener.options.publicURL
        ).add(to: &table)
        OAuth2Token(
            grant: useCases.operators.serviceAccountGrant,
            errors: listener.errors,
            publicURL: listener.options.publicURL
        ).add(to: &table)
        table.add(SignBlob(signing: useCases.operators.serviceAccountSigning))
    }

    /// What clients read about the project, and what machines ask and tell.
    static func addClient(_ useCases: UseCases, _ listener: ListenerContext, to table: inout RouteTable) {
        let (runtime, settings) = (useCases.runtime, listener.options.settings)
        table.add(
            ProjectConfiguration(
                configurations: runtime.configurations,
                projectNumber: listener.projectNumber,
                mode: listener.mode,
                apiKey: settings.project.linkKey,
                publicURL: listener.options.publicURL
            )
        )
        table.add(PasswordPolicyInfo(configurations: runtime.configurations))
        table.add(RecaptchaConfig(configurations: runtime.configurations))
        table.add(
            RecaptchaParams(
                configurations: runtime.configurations,
                siteKey: settings.recaptcha.site?.key,
                mode: listener.mode
            )
        )
        AppAssociations(
            configurations: runtime.configurations,
            project: listener.auth.project,
            apps: settings.appLinks
        ).add(to: &table)
        ReceiveAppleNotification(notifications: useCases.flows.appleNotifications).add(to: &table)
        let store = StoreCheck(
            database: runtime.database,
            patience: listener.options.readinessPatience,
            tasks: runtime.environment.tasks
        )
        Health(store: store, keyRing: listener.keyRing, warnings: settings.gaps, environment: runtime.environment).add(to: &table)
        listener.options.metrics?.add(to: &table, auth: listener.auth)
    }

    /// The pages that e-mails and apps lead to.
    static func addPages(_ useCases: UseCases, _ listener: ListenerContext, to table: inout RouteTable) {
        let (auth, options, environment) = (listener.auth, listener.options, useCases.runtime.environment)
        ActionPage(
            actions: useCases.codes.emailActions,
            auth: auth,
            errors: listener.errors,
            origins: listener.origins
        ).add(to: &table)
        LinkForwarding(actions: useCases.codes.emailActions, auth: auth).add(to: &table)
        HandlerPage(
            signIn: useCases.flows.browser,
            auth: auth,
            errors: listener.errors,
            origins: listener.origins,
            forwardedHost: listener.forwardedHost,
            environment: environment,
            siteKey: options.settings.recaptcha.site?.key,
            publicURL: options.publicURL
        ).add(to: &table)
        SAMLPages(
            metadata: useCases.flows.samlMetadata,
            flows: useCases.flows.authorization,
            auth: auth,
            errors: listener.errors,
            environment: environment
        ).add(to: &table)
        IframePage(
            signIn: useCases.flows.browser,
            auth: auth,
            environment: environment,
            mode: options.mode,
            gapiScript: options.gapiScript
        ).add(to: &table)
        HelperFiles(
            signIn: useCases.flows.browser,
            auth: auth,
            forwardedHost: listener.forwardedHost,
            apiKey: options.settings.project.linkKey
        ).add(to: &table)
    }
}
