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
        self.accountReader = accountReader
        self.accountUpdate = accountUpdate
        self.accountDeletion = accountDeletion
        self.tokenRefresh = tokenRefresh
    }
}
