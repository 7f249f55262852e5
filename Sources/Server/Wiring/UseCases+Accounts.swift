import Accounts
import Settings

// What users do with their accounts.
extension UseCases {
    /// The pages that e-mails lead to.
    var emailActions: EmailActions {
        EmailActions(
            configurations: configurations,
            reset: passwordReset,
            application: codeApplication,
            send: sendOOBCode,
            links: links,
            continueURLs: continueURLs
        )
    }

    /// The emulator's list of codes.
    var oobCodeListing: OOBCodeListing {
        OOBCodeListing(database: database, configurations: configurations, mint: codes)
    }

    /// The emulator's clearing of accounts.
    var accountReset: AccountReset { AccountReset(database: database, configurations: configurations) }

    /// `accounts:lookup`.
    var accountReader: AccountReader {
        AccountReader(database: database, configurations: configurations, idTokens: idTokens)
    }

    /// `accounts:update`.
    var accountUpdate: AccountUpdate {
        AccountUpdate(
            database: database,
            environment: environment,
            configurations: configurations,
            mint: mint,
            credentials: credentialChange,
            recentLogin: recentLogin,
            notices: notices,
            mode: mode,
            events: events,
            throttle: throttle
        )
    }

    /// `accounts:delete`.
    var accountDeletion: AccountDeletion {
        AccountDeletion(
            database: database,
            environment: environment,
            configurations: configurations,
            recentLogin: recentLogin,
            events: events
        )
    }

    /// `token`.
    var tokenRefresh: TokenRefresh {
        TokenRefresh(
            database: database,
            environment: environment,
            configurations: configurations,
            mint: mint,
            mode: mode,
            idleLimit: limits.sessionIdleDays == 0 ? nil : .seconds(86_400 * limits.sessionIdleDays)
        )
    }

    /// Codes that change accounts.
    var codeApplication: CodeApplication {
        CodeApplication(
            database: database,
            environment: environment,
            configurations: configurations,
            credentials: credentialChange,
            mode: mode,
            events: events
        )
    }

    /// Changes of address and password.
    var credentialChange: CredentialChange {
        CredentialChange(
            database: database,
            environment: environment,
            hasher: hasher,
            recentLogin: recentLogin,
            notices: notices,
            mode: mode
        )
    }
}
