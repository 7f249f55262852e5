import Accounts
import HTTPAPI
import Project

extension Wiring {
    /// The use cases of phone sign-in.
    func phone(
        _ configurations: ConfigurationStore,
        _ idTokens: IDTokenRules,
        _ pipeline: SignInPipeline,
        _ recaptcha: RecaptchaGate
    ) -> PhoneServices {
        let mode = settings.mode
        let limits = settings.limits.phone
        let throttle = SMSThrottle(
            perNumberPerHour: limits.perNumberPerHour,
            perAddressPerHour: limits.perAddressPerHour,
            perPrefixPerHour: limits.perPrefixPerHour,
            perDay: limits.perDay
        )
        let tokens = AppVerificationTokens(
            database: database,
            environment: environment,
            sealer: sealer,
            throttle: throttle,
            isEnabled: settings.recaptcha.site == nil
        )
        let codes = SMSCodeService(
            database: database,
            configurations: configurations,
            environment: environment,
            sealer: sealer,
            verification: AppVerification(
                database: database,
                environment: environment,
                recaptcha: recaptcha,
                tokens: tokens
            ),
            messages: messages,
            throttle: throttle,
            limits: .init(
                code: .seconds(limits.codeSeconds),
                resend: .seconds(limits.resendSeconds),
                maxTries: limits.maxTries
            ),
            mode: mode,
            logger: logger
        )
        return PhoneServices(
            codes: codes,
            codeSender: PhoneCodeSender(database: database, configurations: configurations, codes: codes, mode: mode),
            signIn: PhoneSignIn(
                configurations: configurations,
                codes: codes,
                proofs: TemporaryProofs(
                    sealer: sealer,
                    environment: environment,
                    mode: mode,
                    lifetimeSeconds: settings.limits.temporaryProofSeconds
                ),
                idTokens: idTokens,
                recentLogin: RecentLoginRule(window: .seconds(settings.limits.recentLoginSeconds), mode: mode),
                pipeline: pipeline,
                mode: mode
            ),
            iosVerification: IOSAppVerification(
                database: database,
                configurations: configurations,
                environment: environment,
                push: push,
                throttle: throttle,
                mode: mode
            ),
            verificationTokens: tokens,
            recaptchaSiteKey: settings.recaptcha.site?.key
        )
    }

    /// What asks reCAPTCHA.
    func recaptchaGate() -> RecaptchaGate {
        RecaptchaGate(
            verifier: RecaptchaVerifier(
                secret: settings.recaptcha.site?.secret.reveal(),
                url: settings.recaptcha.verifyURL.text,
                http: environment.http,
                logger: logger
            ),
            mode: settings.mode,
            publicURL: publicURL
        )
    }
}
