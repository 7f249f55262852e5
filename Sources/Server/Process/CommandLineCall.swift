import Accounts
package import Project

extension CallContext {
    /// The actor of commands in the audit trail.
    package static let commandLineActor = "cli"

    /// A call of the operator, who works on the machine itself and may do everything.
    package static func commandLine(projectID: String, tenant: String?) -> CallContext {
        var context = CallContext(
            scope: Scope(projectID: projectID, tenantID: tenant),
            isPrivileged: true,
            actor: commandLineActor,
            adminScopes: .all
        )
        context.reachesDisabled = true
        return context
    }
}
