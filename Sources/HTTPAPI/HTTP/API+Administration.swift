import Accounts
import Project
import Tenancy

/// Whether a resource of the administration API belongs to the project or to a tenant.
enum AdminLevel: Sendable, CaseIterable {
    case project
    case tenant

    /// The path between the project and the resource.
    var path: String { self == .project ? "" : "/tenants/{tenant}" }
}

extension API {
    /// Adds the endpoints with which administrators change accounts.
    static func addAccountAdministration(_ useCases: UseCases, _ listener: ListenerContext, to table: inout RouteTable) {
        table.add(BatchDelete(deletion: useCases.operators.batchDeletion))
        table.add(BatchCreate(importing: useCases.operators.accountImport))
        table.add(UploadAccount(importing: useCases.operators.accountImport))
        table.add(BatchGet(listing: useCases.operators.listing, mode: listener.mode))
        table.add(DownloadAccount(listing: useCases.operators.listing, mode: listener.mode))
        table.add(QueryAccounts(search: useCases.operators.search))
        table.add(CreateSessionCookie(cookies: useCases.operators.sessionCookies, mode: listener.mode))
    }

    /// Adds the endpoints of the v2 administration API.
    static func addAdministration(
        _ administration: ConfigurationAdministration,
        mode: ModeRules,
        to table: inout RouteTable
    ) {
        table.add(GetProjectConfig(project: administration.project))
        table.add(UpdateProjectConfig(project: administration.project))
        table.add(InitializeAuth())
        table.add(ListDefaultSupportedIdps())
        for level in AdminLevel.allCases {
            table.add(ImportSAMLMetadata(level: level, providers: administration.providers))
            for collection in ProviderCollection.allCases {
                let providers = administration.providers
                table.add(CreateProviderConfig(level: level, collection: collection, providers: providers))
                table.add(GetProviderConfig(level: level, collection: collection, providers: providers))
                table.add(ListProviderConfigs(level: level, collection: collection, providers: providers))
                table.add(UpdateProviderConfig(level: level, collection: collection, providers: providers))
                table.add(DeleteProviderConfig(level: level, collection: collection, providers: providers))
            }
        }
        table.add(CreateTenant(tenants: administration.tenants))
        table.add(GetTenant(tenants: administration.tenants))
        table.add(ListTenants(tenants: administration.tenants))
        table.add(UpdateTenant(tenants: administration.tenants))
        table.add(DeleteTenant(tenants: administration.tenants))
        table.add(GetTenantIamPolicy(policies: administration.policies))
        table.add(SetTenantIamPolicy(policies: administration.policies))
        table.add(TestTenantIamPermissions(policies: administration.policies))
        if mode.servesEmulatorPaths {
            table.add(GetEmulatorConfig(project: administration.project))
            table.add(UpdateEmulatorConfig(project: administration.project))
        }
    }
}
