import Project
import Storage

extension ConfigurationStore {
    // Every sign-in method is on.
    private static let tenantMadeOnFirstUse: JSONValue = [
        "allowPasswordSignup": true,
        "enableEmailLinkSignin": true,
        "enableAnonymousUser": true,
        "disableAuth": false,
        "mfaConfig": ["state": "ENABLED", "enabledProviders": ["PHONE_SMS"]],
    ]

    /// Makes a tenant that a call is the first to name.
    func makeTenant(_ tenantID: String, _ scope: Scope) async throws {
        let now = environment.now()
        let tenant = ResourceRecord(kind: .tenant, resourceID: tenantID, document: Self.tenantMadeOnFirstUse)
        try await database.write { transaction in
            // Another call may have made it meanwhile, and an administrator changed it.
            if try transaction.resource(scope.project, kind: .tenant, resourceID: tenantID) != nil { return }
            try transaction.putResource(scope.project, tenant, at: now)
        }
    }
}
