import Federation
import Project
import Settings

/// Ways in.
package struct SignInUseCases: Sendable {
    package let signUp: RequestedSignUp
    package let password: PasswordSignIn
    package let emailLink: EmailLinkSignIn
    package let customToken: CustomTokenSignIn
    package let federated: FederatedSignIn
    package let gameCenter: GameCenterSignIn
    package let phone: PhoneSignIn
    package let secondFactor: SecondFactorSignIn
    package let passkey: PasskeySignIn

    init(_ ground: Ground, _ parts: SharedParts, _ settings: Settings, _ operators: OperatorUseCases) {
        let (hasher, pipeline, recaptcha) = (parts.hasher, parts.pipeline, parts.recaptcha)
        let verifier = CredentialVerifier(
            providers: parts.providers,
            mode: ground.mode,
            verifiesSigned: settings.development.verifyCredentials,
            logger: ground.environment.logger
        )
        signUp = RequestedSignUp(
            anonymous: AnonymousSignUp(ground: ground, pipeline: pipeline),
            password: PasswordSignUp(ground: ground, hasher: hasher, pipeline: pipeline, recaptcha: recaptcha),
            creation: operators.creation
        )
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
