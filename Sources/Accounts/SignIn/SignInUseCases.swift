import Federation
import Project
import Settings

/// Ways in.
package struct SignInUseCases: Sendable {
    package let anonymous: AnonymousSignUp
    package let passwordSignUp: PasswordSignUp
    package let password: PasswordSignIn
    package let emailLink: EmailLinkSignIn
    package let customToken: CustomTokenSignIn
    package let federated: FederatedSignIn
    package let gameCenter: GameCenterSignIn
    package let phone: PhoneSignIn
    package let secondFactor: SecondFactorSignIn
    package let passkey: PasskeySignIn

    init(_ ground: Ground, _ parts: SharedParts, _ settings: Settings) {
        let (hasher, pipeline, recaptcha) = (parts.hasher, parts.pipeline, parts.recaptcha)
        let verifier = CredentialVerifier(
            providers: parts.providers,
            mode: ground.mode,
            verifiesSigned: settings.development.verifyCredentials,
            logger: ground.environment.logger
        )
        anonymous = AnonymousSignUp(ground: ground, pipeline: pipeline)
        passwordSignUp = PasswordSignUp(ground: ground, hasher: hasher, pipeline: pipeline, recaptcha: recaptcha)
        password = PasswordSignIn(ground: ground, hasher: hasher, pipeline: pipeline, recaptcha: recaptcha)
        emailLink = EmailLinkSignIn(ground: ground, pipeline: pipeline)
        customToken = CustomTokenSignIn(ground: ground, serviceAccounts: parts.serviceAccounts, pipeline: pipeline)
        federated = FederatedSignIn(ground: ground, verifier: verifier, flows: parts.flows, pipeline: pipeline)
        let gameCenterProvider = parts.providers.the(GameCenterProvider.self)
        gameCenter = GameCenterSignIn(ground: ground, provider: gameCenterProvider, pipeline: pipeline)
        phone = PhoneSignIn(ground: ground, codes: parts.smsCodes, pipeline: pipeline)
        secondFactor = SecondFactorSignIn(ground: ground, smsCodes: parts.smsCodes, pipeline: pipeline)
        passkey = PasskeySignIn(ground: ground, challenges: parts.challenges, pipeline: pipeline)
    }
}
