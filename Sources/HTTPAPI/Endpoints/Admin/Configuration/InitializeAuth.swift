import HTTPTypes
import Project

/// `POST v2/projects/{project}/identityPlatform:initializeAuth`, which does nothing because nothing needs it
/// (`Docs/Contract/admin-config.md` §1).
struct InitializeAuth: AdminEndpoint {
    static let summary = "Does nothing: there is nothing to switch on."
    let route = Route.admin(.post, .changeConfiguration, "/identityPlatform:initializeAuth")
    var content: AdminContent { .nothing }

    func handle(_ call: AdminCall) async throws -> JSONValue { [:] }
}
