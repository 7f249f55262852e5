package import Accounts
package import Storage
package import Tokens

/// What the endpoints call: built once, never changed.
package struct Services: Sendable {
    package let database: any Database
    package let keyRing: KeyRing
    package let configurations: ConfigurationStore
    package let idTokens: IDTokenRules
    package let federatedSignIn: FederatedSignIn
    package let anonymousSignUp: AnonymousSignUp
    package let customTokenSignIn: CustomTokenSignIn
    package let passwordSignIn: PasswordSignIn
    package let passwordSignUp: PasswordSignUp
    package let emailLinkSignIn: EmailLinkSignIn
    package let phone: PhoneServices
    package let signInMethods: SignInMethods
    package let passwordReset: PasswordReset
    package let codeApplication: CodeApplication
    package let sendOOBCode: SendOOBCode
    package let accountReader: AccountReader
    package let accountUpdate: AccountUpdate
    package let accountDeletion: AccountDeletion
    package let tokenRefresh: TokenRefresh

    package init(
        database: any Database,
        keyRing: KeyRing,
        configurations: ConfigurationStore,
        idTokens: IDTokenRules,
        federatedSignIn: FederatedSignIn,
        anonymousSignUp: AnonymousSignUp,
        customTokenSignIn: CustomTokenSignIn,
        passwordSignIn: PasswordSignIn,
        passwordSignUp: PasswordSignUp,
        emailLinkSignIn: EmailLinkSignIn,
        phone: PhoneServices,
        signInMethods: SignInMethods,
        passwordReset: PasswordReset,
        codeApplication: CodeApplication,
        sendOOBCode: SendOOBCode,
        accountReader: AccountReader,
        accountUpdate: AccountUpdate,
        accountDeletion: AccountDeletion,
        tokenRefresh: TokenRefresh
    ) {
        self.database = database
        self.keyRing = keyRing
        self.configurations = configurations
        self.idTokens = idTokens
        self.federatedSignIn = federatedSignIn
        self.anonymousSignUp = anonymousSignUp
        self.customTokenSignIn = customTokenSignIn
        self.passwordSignIn = passwordSignIn
        self.passwordSignUp = passwordSignUp
        self.emailLinkSignIn = emailLinkSignIn
        self.phone = phone
        self.signInMethods = signInMethods
        self.passwordReset = passwordReset
        self.codeApplication = codeApplication
        self.sendOOBCode = sendOOBCode
        self.accountReader = accountReader
        self.accountUpdate = accountUpdate
        self.accountDeletion = accountDeletion
        self.tokenRefresh = tokenRefresh
    }
}
