import Accounts
import Federation
import Foundation
import HTTPAPI
import Logging
import Messaging
import Passwords
import Project
import Storage
import Tokens

/// Puts the use cases together.
struct Wiring {
    let settings: Settings
    let database: any Database
    let keyRing: KeyRing
    let issuer: TokenIssuer
    let sealer: TokenSealer
    let environment: ServerEnvironment
    let logger: Logger
    let hasher: PasswordHasher
    let mailer: OOBMailer
    let messages: SMSCodeMessages
    let push: APNsClient?
    let gameCenterTrust: GameCenterTrust
    let events: EventOutbox
    let publicURL: @Sendable () -> String

    /// Every use case that endpoints call.
    func services() -> Services {
        let useCases = UseCases(self)
        let phone = useCases.phone
        return Services(
            database: database,
            keyRing: keyRing,
            configurations: useCases.configurations,
            idTokens: useCases.idTokens,
            federatedSignIn: useCases.federatedSignIn,
            gameCenterSignIn: useCases.gameCenterSignIn,
            requestedSignUp: useCases.requestedSignUp,
            customTokenSignIn: useCases.customTokenSignIn,
            passwordSignIn: useCases.passwordSignIn,
            emailLinkSignIn: useCases.emailLinkSignIn,
            phone: phone,
            authURICreation: useCases.authURICreation,
            authorizationFlows: useCases.flows,
            providerClients: useCases.clients,
            browserSignIn: useCases.browserSignIn,
            appleTokenRevocation: useCases.appleTokenRevocation,
            passwordReset: useCases.passwordReset,
            sendOOBCode: useCases.sendOOBCode,
            emailActions: useCases.emailActions,
            oobCodeListing: useCases.oobCodeListing,
            accountReader: useCases.accountReader,
            accountUpdate: useCases.accountUpdate,
            requestedUpdate: useCases.requestedUpdate,
            accountDeletion: useCases.accountDeletion,
            accountReset: useCases.accountReset,
            secondFactorEnrollment: useCases.secondFactorEnrollment,
            secondFactorWithdrawal: useCases.secondFactorWithdrawal,
            secondFactorSignIn: useCases.secondFactorSignIn,
            passkeyEnrollment: useCases.passkeyEnrollment,
            passkeySignIn: useCases.passkeySignIn,
            tokenRefresh: useCases.tokenRefresh,
            appleNotifications: useCases.appleNotifications,
            administration: useCases.administration,
            serviceAccountGrant: useCases.serviceAccountGrant,
            adminCredentials: useCases.adminCredentials,
            accountBrowser: useCases.accountBrowser,
            auditTrail: useCases.auditTrail,
            admin: useCases.admin
        )
    }

    /// The key in links.
    var apiKey: String { settings.project.linkKey }
}

extension ProjectSettings {
    /// The key in links and in the web configuration, which name one as Firebase's do; the emulator's is always the same.
    var linkKey: String {
        switch apiKeys {
        case .any: "fake-api-key"
        case .only(let keys): keys.min() ?? ""
        }
    }
}
