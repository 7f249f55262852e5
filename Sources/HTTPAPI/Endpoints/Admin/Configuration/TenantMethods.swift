import HTTPTypes
import Project
import Tenancy

// Tenants and their IAM policies (`Docs/Contract/admin-config.md` §2 and §12).
extension AdminMethod {
    private static let tenant = "/tenants/{tenant}"

    static func ofTenants(_ tenants: TenantAdministration) -> [AdminMethod] {
        [
            AdminMethod(
                name: "CreateTenant",
                summary: "Makes a tenant.",
                route: .admin(.post, .changeConfiguration, "/tenants"),
                request: Schema(.tenant),
                answer: Schema(.tenant)
            ) { try await tenants.create($0.body, context: $0.context) },
            AdminMethod(
                name: "GetTenant",
                summary: "Reads a tenant.",
                route: .admin(.get, .readConfiguration, tenant),
                answer: Schema(.tenant)
            ) { try await tenants.get($0.context) },
            AdminMethod(
                name: "ListTenants",
                summary: "Lists the tenants.",
                route: .admin(.get, .readConfiguration, "/tenants"),
                query: PageQuery.parameters,
                answer: PageQuery.answer("tenants", of: Schema(.tenant))
            ) {
                let page = try PageQuery($0.query)
                return try await tenants.list(pageSize: page.size, pageToken: page.token, context: $0.context)
            },
            AdminMethod(
                name: "UpdateTenant",
                summary: "Changes a tenant.",
                route: .admin(.patch, .changeConfiguration, tenant),
                request: Schema(.tenant),
                answer: Schema(.tenant),
                takesMask: true
            ) { try await tenants.update($0.body, mask: $0.mask, context: $0.context) },
            AdminMethod(
                name: "DeleteTenant",
                summary: "Removes a tenant with all its accounts.",
                route: .admin(.delete, .changeConfiguration, tenant)
            ) {
                try await tenants.delete($0.context)
                return [:]
            },
        ]
    }

    static func ofPolicies(_ policies: TenantPolicies) -> [AdminMethod] {
        let permissions = Schema(fields: ["/permissions": .strings])
        return [
            AdminMethod(
                name: "GetTenantIamPolicy",
                summary: "Reads the IAM policy of a tenant.",
                route: .admin(.post, .changeConfiguration, "\(tenant):getIamPolicy"),
                answer: Schema(.policy)
            ) { try await policies.get($0.context) },
            // Its mask is ignored, because the whole policy is set.
            AdminMethod(
                name: "SetTenantIamPolicy",
                summary: "Replaces the IAM policy of a tenant.",
                route: .admin(.post, .changeConfiguration, "\(tenant):setIamPolicy"),
                request: Schema(["type": "object", "properties": ["policy": Schema(.policy).json]]),
                answer: Schema(.policy)
            ) { try await policies.set($0.body["policy"] ?? [:], context: $0.context) },
            AdminMethod(
                name: "TestTenantIamPermissions",
                summary: "Says which permissions the caller has on a tenant.",
                route: .admin(.post, .changeConfiguration, "\(tenant):testIamPermissions"),
                request: permissions,
                answer: permissions
            ) { call in
                let asked = try ProtoObject(call.body.object ?? [:]).strings("permissions")
                return try await policies.test(asked, context: call.context)
            },
        ]
    }
}
