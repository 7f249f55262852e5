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
}
