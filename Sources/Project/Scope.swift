/// The owner of accounts: a project, or one tenant of it (`Docs/Contract/conventions.md` §2.1).
package struct Scope: Sendable, Hashable {
    package let projectID: String
    package let tenantID: String?

    package init(projectID: String, tenantID: String? = nil) {
        self.projectID = projectID
        self.tenantID = tenantID
    }

    /// The tenant as the store's keys have it: the empty text at the project level.
    package var tenantKey: String { tenantID ?? "" }

    package var project: Scope { Scope(projectID: projectID) }
}
