import Accounts
import HTTPAPI
import Project
import Settings

// What administrators and operators do.
extension UseCases {
    /// The v2 configuration API.
    var administration: ConfigurationAdministration {
        ConfigurationAdministration(
            database: database,
            environment: environment,
            configurations: configurations,
            sealer: sealer,
            network: NetworkGuard(allowPrivateNetworks: settings.outbound.allowPrivateNetworks),
            mode: mode,
            facts: .init(
                apiKey: apiKey.isEmpty ? nil : apiKey,
                hashConfig: [
                    "algorithm": "ARGON2", "rounds": .integer(Int64(settings.passwords.argon2Iterations)),
                    "memoryCost": .integer(Int64(settings.passwords.argon2MemoryKiB)),
                ],
                ownDomains: ownDomains
            ),
            logger: logger
        )
    }

    /// `oauth2/token`.
    var serviceAccountGrant: ServiceAccountGrant {
        ServiceAccountGrant(
            database: database,
            environment: environment,
            serviceAccounts: serviceAccounts,
            accessTokens: accessTokens,
            throttle: throttle,
            projectID: settings.project.id
        )
    }

    /// Who administrators are.
    var adminCredentials: AdminCredentials {
        AdminCredentials(
            database: database,
            environment: environment,
            serviceAccounts: serviceAccounts,
            accessTokens: accessTokens,
            projectID: settings.project.id
        )
    }

    /// Lists of accounts for operators.
    var accountBrowser: AccountBrowser {
        AccountBrowser(database: database, configurations: configurations)
    }

    /// The audit trail.
    var auditTrail: AuditTrail {
        AuditTrail(database: database, configurations: configurations)
    }

    /// The Admin account API.
    var admin: AdminServices {
        AdminServices(
            creation: AccountCreation(
                database: database,
                environment: environment,
                configurations: configurations,
                hasher: hasher,
                idTokens: idTokens,
                mode: mode,
                events: events
            ),
            batchDeletion: BatchDeletion(
                database: database,
                environment: environment,
                configurations: configurations,
                events: events
            ),
            accountImport: AccountImport(
                database: database,
                environment: environment,
                configurations: configurations,
                hasher: hasher,
                mode: mode,
                logger: logger
            ),
            listing: AccountListing(
                database: database,
                environment: environment,
                configurations: configurations
            ),
            search: AccountSearch(database: database, configurations: configurations),
            sessionCookies: SessionCookies(
                database: database,
                environment: environment,
                configurations: configurations,
                idTokens: idTokens,
                issuer: issuer
            )
        )
    }

    private var ownDomains: @Sendable () -> [String] {
        let publicURL = publicURL
        return { WebAddress(publicURL()).map { [$0.host.text] } ?? [] }
    }
}
