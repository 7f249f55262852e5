package import Accounts
package import Storage
package import Tokens

/// The use cases of the endpoints, built once.
package struct Services: Sendable {
    package let database: any Database
    package let keyRing: KeyRing
    package let configurations: ConfigurationStore
    package let idTokens: IDTokenRules
    package let federatedSignIn: FederatedSignIn
    package let gameCenterSignIn: GameCenterSignIn
    package let requestedSignUp: RequestedSignUp
    package let customTokenSignIn: CustomTokenSignIn
    package let passwordSignIn: PasswordSignIn
    package let emailLinkSignIn: EmailLinkSignIn
    package let phone: PhoneServices
    package let authURICreation: AuthURICreation
    package let authorizationFlows: AuthorizationFlows
    package let providerClients: ProviderClients
    package let browserSignIn: BrowserSignIn
    package let appleTokenRevocation: AppleTokenRevocation
    package let passwordReset: PasswordReset
    package let sendOOBCode: SendOOBCode
    package let emailActions: EmailActions
    package let oobCodeListing: OOBCodeListing
    package let accountReader: AccountReader
    package let accountUpdate: AccountUpdate
    package let requestedUpdate: RequestedUpdate
    package let accountDeletion: AccountDeletion
    package let accountReset: AccountReset
    package let secondFactorEnrollment: SecondFactorEnrollment
    package let secondFactorWithdrawal: SecondFactorWithdrawal
    package let secondFactorSignIn: SecondFactorSignIn
    package let passkeyEnrollment: PasskeyEnrollment
    package let passkeySignIn: PasskeySignIn
    package let tokenRefresh: TokenRefresh
    package let appleNotifications: AppleNotifications
    package let administration: ConfigurationAdministration
    package let serviceAccountGrant: ServiceAccountGrant
    package let adminCredentials: AdminCredentials
    package let accountBrowser: AccountBrowser
    package let auditTrail: AuditTrail
    package let admin: AdminServices

    package init(
        database: any Database,
        keyRing: KeyRing,
        configurations: ConfigurationStore,
        idTokens: IDTokenRules,
        federatedSignIn: FederatedSignIn,
        gameCenterSignIn: GameCenterSignIn,
        requestedSignUp: RequestedSignUp,
        customTokenSignIn: CustomTokenSignIn,
        passwordSignIn: PasswordSignIn,
        emailLinkSignIn: EmailLinkSignIn,
        phone: PhoneServices,
        authURICreation: AuthURICreation,
        authorizationFlows: AuthorizationFlows,
        providerClients: ProviderClients,
        browserSignIn: BrowserSignIn,
        appleTokenRevocation: AppleTokenRevocation,
        passwordReset: PasswordReset,
        sendOOBCode: SendOOBCode,
        emailActions: EmailActions,
        oobCodeListing: OOBCodeListing,
        accountReader: AccountReader,
        accountUpdate: AccountUpdate,
        requestedUpdate: RequestedUpdate,
        accountDeletion: AccountDeletion,
        accountReset: AccountReset,
        secondFactorEnrollment: SecondFactorEnrollment,
        secondFactorWithdrawal: SecondFactorWithdrawal,
        secondFactorSignIn: SecondFactorSignIn,
        passkeyEnrollment: PasskeyEnrollment,
        passkeySignIn: PasskeySignIn,
        tokenRefresh: TokenRefresh,
        appleNotifications: AppleNotifications,
        administration: ConfigurationAdministration,
        serviceAccountGrant: ServiceAccountGrant,
        adminCredentials: AdminCredentials,
        accountBrowser: AccountBrowser,
        auditTrail: AuditTrail,
        admin: AdminServices
    ) {
        self.database = database
        self.keyRing = keyRing
        self.configurations = configurations
        self.idTokens = idTokens
        self.federatedSignIn = federatedSignIn
        self.gameCenterSignIn = gameCenterSignIn
        self.requestedSignUp = requestedSignUp
        self.customTokenSignIn = customTokenSignIn
        self.passwordSignIn = passwordSignIn
        self.emailLinkSignIn = emailLinkSignIn
        self.phone = phone
        self.authURICreation = authURICreation
        self.authorizationFlows = authorizationFlows
        self.providerClients = providerClients
        self.browserSignIn = browserSignIn
        self.appleTokenRevocation = appleTokenRevocation
        self.passwordReset = passwordReset
        self.sendOOBCode = sendOOBCode
        self.emailActions = emailActions
        self.oobCodeListing = oobCodeListing
        self.accountReader = accountReader
        self.accountUpdate = accountUpdate
        self.requestedUpdate = requestedUpdate
        self.accountDeletion = accountDeletion
        self.accountReset = accountReset
        self.secondFactorEnrollment = secondFactorEnrollment
        self.secondFactorWithdrawal = secondFactorWithdrawal
        self.secondFactorSignIn = secondFactorSignIn
        self.passkeyEnrollment = passkeyEnrollment
        self.passkeySignIn = passkeySignIn
        self.tokenRefresh = tokenRefresh
        self.appleNotifications = appleNotifications
        self.administration = administration
        self.serviceAccountGrant = serviceAccountGrant
        self.adminCredentials = adminCredentials
        self.accountBrowser = accountBrowser
        self.auditTrail = auditTrail
        self.admin = admin
    }
}
