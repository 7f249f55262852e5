import Accounts
import HTTPAPI
import Project
import Settings

// Phone sign-in and what proves that an app asks.
extension UseCases {
    /// The use cases of phone sign-in.
    var phone: PhoneServices {
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
            messages: wiring.messages,
            throttle: throttle,
            functions: functions,
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
                database: database,
                configurations: configurations,
                codes: codes,
                proofs: TemporaryProofs(
                    sealer: sealer,
                    environment: environment,
                    mode: mode,
                    lifetimeSeconds: settings.limits.temporaryProofSeconds
                ),
                idTokens: idTokens,
                recentLogin: recentLogin,
                pipeline: pipeline,
                mode: mode
            ),
            iosVerification: IOSAppVerification(
                database: database,
                configurations: configurations,
                environment: environment,
                push: wiring.push,
                throttle: throttle,
                mode: mode
            ),
            verificationTokens: tokens,
            recaptchaSiteKey: settings.recaptcha.site?.key
        )
    }

    /// What asks reCAPTCHA.
    static func recaptchaGate(_ wiring: Wiring) -> RecaptchaGate {
        let settings = wiring.settings
        return RecaptchaGate(
            verifier: RecaptchaVerifier(
                secret: settings.recaptcha.site?.secret.reveal(),
                url: settings.recaptcha.verifyURL.text,
                http: wiring.environment.http,
                logger: wiring.logger
            ),
            mode: settings.mode.rules,
            publicURL: wiring.publicURL
        )
    }
}
