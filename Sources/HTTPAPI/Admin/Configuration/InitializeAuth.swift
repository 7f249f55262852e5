import Accounts
import HTTPTypes
import Project

/// `POST v2/projects/{project}/identityPlatform:initializeAuth`: there is nothing to switch on (`contract/admin-config.md` §1).
struct InitializeAuth: AdminEndpoint {
    let route = Route.admin(.post, "/identityPlatform:initializeAuth")

    func handle(_ call: AdminCall) async throws -> JSONValue { [:] }
}
