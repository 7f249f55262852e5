import HTTPTypes
import Project
import Tenancy

/// `POST v2/projects/{project}/tenants/{tenant}:testIamPermissions` (`Docs/Contract/admin-config.md` §12).
struct TestTenantIamPermissions: AdminEndpoint {
    static let summary = "Says which permissions the caller has on a tenant."
    let route = Route.admin(.post, .changeConfiguration, "/tenants/{tenant}:testIamPermissions")
    let policies: TenantPolicies

    struct Body: ProtoDecodable {
        let permissions: [String]

        init(_ body: ProtoObject) throws { permissions = try body.strings("permissions") }
    }

    var content: AdminContent {
        let schema = Schema(FieldRecorder.shape(of: Body.self))
        return AdminContent(request: schema, answer: schema)
    }

    func handle(_ call: AdminCall) async throws -> JSONValue {
        let body = try Body(ProtoObject(call.body.object ?? [:]))
        return try await policies.test(body.permissions, context: call.context)
    }
}
