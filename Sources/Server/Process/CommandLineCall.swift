import Accounts
package import Project

extension CallContext {
    /// A call of the operator, who works on the machine itself and may do everything.
    package static func commandLine(projectID: String, tenant: String?) -> CallContext {
        var context = CallContext(
            scope: Scope(projectID: projectID, tenantID: tenant),
            isPrivileged: true,
            actor: "cli",
            adminScopes: .all
        )
        context.reachesDisabled = true
        return context
    }
}
