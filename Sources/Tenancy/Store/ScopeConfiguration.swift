package import Passwords
package import Project

/// The configuration of a scope: the allowed ways to sign in, and the identity providers.
package struct ScopeConfiguration: Sendable {
    package let policy: SignInPolicy
    /// The rules for passwords that users choose.
    package let passwordPolicy: PasswordPolicy
    /// Decides when calls must have a reCAPTCHA token.
    package let recaptcha: RecaptchaPolicy
    /// Phone sign-in, fictional numbers, and the regions that messages may be sent to.
    package let phone: PhonePolicy
    /// The project's `Config` document, for members that a single use case reads.
    package let document: JSONValue
    /// Provider configurations by provider id.
    package let identityProviders: [String: IdPConfig]
}
