import Storage
package import Tenancy
package import Tokens

/// What administrators and operators do.
package struct OperatorUseCases: Sendable {
    let database: any Database
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
    package let serviceState: ServiceStateReader
    package let unlocking: AccountUnlocking
    package let sessionEnding: SessionEnding
    package let sessionCookies: SessionCookies
    package let impersonation: Impersonation
    package let bulkChange: BulkUserChange
    package let programs: ProgramCredentials
    package let deliveries: EventDeliveries
    package let hookTest: HookTest
    package let policyEffect: PolicyEffect

    /// The audit trail as a file.
    package func auditExport(_ format: AuditExport.Format) -> AuditExport {
        AuditExport(database: database, format: format)
    }
}
