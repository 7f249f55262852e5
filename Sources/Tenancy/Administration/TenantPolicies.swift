package import Project
import Storage

/// The IAM policies of tenants. They are stored and shown, but grant nothing (`Docs/Contract/admin-config.md` §12).
package struct TenantPolicies: Sendable {
    let editor: ResourceEditor
    let gate: TenantGate

    private static let maximumPermissions = 100

    package func get(_ context: CallContext) async throws -> JSONValue {
        try await gate.pass(context.scope)
        return Self.presented(try await editor.stored(place(context.scope)))
    }

    /// Replaces the policy of a tenant.
    ///
    /// - Parameter policy: One with an `etag` only replaces the policy that has this `etag`.
    /// - Throws: `APIError` `ABORTED` for another `etag`, `TENANT_NOT_FOUND`; `InvalidArgument`.
    package func set(_ policy: JSONValue, context: CallContext) async throws -> JSONValue {
        try await gate.pass(context.scope)
        var policy = try Shape.policy.read(policy).withoutNulls
        let etag = policy["etag"]?.string ?? ""
        policy["etag"] = nil
        let next = policy
        let stored = try await editor.edit(place(context.scope), context: context) { stored in
            guard etag.isEmpty || etag == Self.etag(stored) else {
                throw APIError(.aborted, "The policy was changed by somebody else.")
            }
            return .put(next)
        }
        return Self.presented(stored)
    }

    /// Tells which permissions the caller has. An administrator has all of them.
    package func test(_ permissions: [String], context: CallContext) async throws -> JSONValue {
        try await gate.pass(context.scope)
        guard permissions.count <= Self.maximumPermissions else { throw InvalidArgument("There are too many permissions.") }
        return ["permissions": .array(permissions.map(JSONValue.string))]
    }

    private func place(_ scope: Scope) -> ResourceEditor.Place {
        let name = "projects/\(scope.projectID)/tenants/\(scope.tenantKey)/iamPolicy"
        return .init(scope: scope, kind: .iamPolicy, resourceID: "", name: name)
    }

    private static func presented(_ policy: JSONValue?) -> JSONValue {
        Shape.policy.arranged(
            (policy ?? [:]).filled(from: ["version": 1, "bindings": []]).merging(["etag": .string(etag(policy))])
        )
    }

    private static func etag(_ policy: JSONValue?) -> String {
        Base64URL.encode(Array(sha256((policy ?? [:]).serialized()).prefix(12)))
    }
}
