import Project
import Settings
package import Tenancy
package import Tokens

/// What administrators and operators do.
package struct OperatorUseCases: Sendable {
    /// The v2 configuration API.
    package let configuration: ConfigurationAdministration
    /// Our keys as a SAML service provider.
    package let serviceKeys: ServiceProviderKeys
    package let credentials: AdminCredentials
    package let serviceAccountGrant: ServiceAccountGrant
    package let serviceAccountSigning: ServiceAccountSigning
    package let creation: AccountCreation
    package let batchDeletion: BatchDeletion
    package let accountImport: AccountImport
    package let listing: AccountListing
    package let search: AccountSearch
    package let browser: AccountBrowser
    package let finder: AccountFinder
    package let auditTrail: AuditTrail
    package let refusals: RefusalFinder
    package let overview: OverviewReader
    package let unlocking: AccountUnlocking
    package let sessionEnding: SessionEnding
    package let sessionCookies: SessionCookies
    package let impersonation: Impersonation
    package let bulkChange: BulkUserChange

    private let ground: Ground

    /// The audit trail as a file.
    package func auditExport(_ format: AuditExport.Format) -> AuditExport {
        AuditExport(database: ground.database, format: format)
    }

    init(_ ground: Ground, _ parts: SharedParts, _ settings: Settings) {
        self.ground = ground
        let (serviceAccounts, projectID) = (parts.serviceAccounts, settings.project.id)
        configuration = Self.configuration(ground, parts, settings)
        serviceKeys = parts.serviceKeys
        credentials = AdminCredentials(ground: ground, serviceAccounts: serviceAccounts, projectID: projectID)
        serviceAccountGrant = ServiceAccountGrant(ground: ground, serviceAccounts: serviceAccounts, projectID: projectID)
        serviceAccountSigning = ServiceAccountSigning(ground: ground, serviceAccounts: serviceAccounts)
        creation = AccountCreation(ground: ground, hasher: parts.hasher)
        batchDeletion = BatchDeletion(ground: ground)
        accountImport = AccountImport(ground: ground, hasher: parts.hasher)
        listing = AccountListing(ground: ground)
        search = AccountSearch(ground: ground)
        browser = AccountBrowser(ground: ground)
        finder = AccountFinder(ground: ground)
        auditTrail = AuditTrail(ground: ground)
        refusals = RefusalFinder(ground: ground)
        overview = OverviewReader(ground: ground)
        unlocking = AccountUnlocking(ground: ground)
        sessionEnding = SessionEnding(database: ground.database, environment: ground.environment)
        sessionCookies = SessionCookies(ground: ground)
        impersonation = Impersonation(
            ground: ground,
            serviceAccounts: serviceAccounts,
            signing: serviceAccountSigning,
            isAllowed: settings.console.allowsImpersonation,
            forbiddenClaim: settings.console.impersonationForbiddenClaim
        )
        bulkChange = BulkUserChange(ground: ground, finder: finder)
    }

    private static func configuration(
        _ ground: Ground,
        _ parts: SharedParts,
        _ settings: Settings
    ) -> ConfigurationAdministration {
        let (apiKey, publicURL) = (settings.project.linkKey, parts.continueURLs.publicURL)
        return ConfigurationAdministration(
            configurations: ground.configurations,
            network: NetworkGuard(allowPrivateNetworks: settings.outbound.allowPrivateNetworks),
            facts: .init(
                apiKey: apiKey.isEmpty ? nil : apiKey,
                hashConfig: [
                    "algorithm": "ARGON2", "rounds": .integer(Int64(settings.passwords.argon2Iterations)),
                    "memoryCost": .integer(Int64(settings.passwords.argon2MemoryKiB)),
                ],
                ownDomains: { WebAddress(publicURL()).map { [$0.host.text] } ?? [] }
            ),
            saml: SAMLAdministration(
                keys: parts.serviceKeys,
                metadata: parts.metadata,
                callback: { publicURL() + HandlerDelivery.path }
            ),
            logger: ground.environment.logger
        )
    }
}
