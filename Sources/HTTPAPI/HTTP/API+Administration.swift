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
    static func addAccountAdministration(_ useCases: UseCases, _ door: Door, to table: inout RouteTable) {
        table.add(BatchDelete(deletion: useCases.operators.batchDeletion))
        table.add(BatchCreate(importing: useCases.operators.accountImport))
        table.add(UploadAccount(importing: useCases.operators.accountImport))
        table.add(BatchGet(listing: useCases.operators.listing, mode: door.mode))
        table.add(DownloadAccount(listing: useCases.operators.listing, mode: door.mode))
        table.add(QueryAccounts(search: useCases.operators.search))
        table.add(CreateSessionCookie(cookies: useCases.operators.sessionCookies, mode: door.mode))
    }

    /// Adds the endpoints of the v2 administration API.
    static func addAdministration(
        _ administration: ConfigurationAdministration,
        mode: ModeRules,
        to table: inout RouteTable
    ) {
        let (project, providers) = (administration.project, administration.providers)
        var methods = AdminMethod.ofProject(project) + [AdminMethod.listDefaultSupportedIdps]
        for level in AdminLevel.allCases {
            methods.append(.importSAMLMetadata(at: level, providers))
            for collection in ProviderCollection.allCases { methods += AdminMethod.of(collection, at: level, providers) }
        }
        methods += AdminMethod.ofTenants(administration.tenants) + AdminMethod.ofPolicies(administration.policies)
        if mode.servesEmulatorPaths { methods += AdminMethod.ofEmulator(project) }
        for method in methods { table.add(method) }
    }
}
