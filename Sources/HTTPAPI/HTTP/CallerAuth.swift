import HTTPTypes
import Hummingbird
package import Project

/// Who calls: decided once per request, before its body is looked at (`contract/conventions.md` §2).
package struct CallerAuth: Sendable {
    private let mode: ServerMode
    private let projectID: String
    private let apiKeys: [String]
    private let adminToken: String?
    private let acceptsOwner: Bool

    /// - Parameters:
    ///   - mode: Development takes any API key and any project.
    ///   - projectID: `project.id`.
    ///   - apiKeys: `project.apiKeys`.
    ///   - adminToken: `admin.token`.
    ///   - acceptsOwner: Whether `Bearer owner` is an administrator: in development, and on the private listener.
    package init(mode: ServerMode, projectID: String, apiKeys: [String], adminToken: String?, acceptsOwner: Bool) {
        self.mode = mode
        self.projectID = projectID
        self.apiKeys = apiKeys
        self.adminToken = adminToken
        self.acceptsOwner = acceptsOwner
    }

    /// A caller that may go on.
    struct Caller {
        let scope: Scope
        let isPrivileged: Bool
    }

    /// Decides.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - access: What the route accepts.
    ///   - path: Project and tenant of the path, if it names them.
    /// - Returns: The caller and the scope that the path or the API key selects.
    /// - Throws: ``TransportError``; `APIError` for a project or target that this caller may not name.
    func authenticate(_ request: Request, access: Route.Access, path: (project: String, tenant: String?)?) throws -> Caller {
        if access == .open, let path { return Caller(scope: try scope(path), isPrivileged: false) }
        // A bearer that is there must be good on every route, also where it does not help.
        let hasBearer = try hasPrivilege(request)
        let isPrivileged = hasBearer && access != .apiKeyOnly
        if !isPrivileged {
            if path != nil || access == .adminOnly, mode == .production { throw TransportError.bearerRequired }
            try checkAPIKey(request)
            if path != nil {
                throw APIError(
                    .insufficientPermission,
                    "Only authenticated requests can specify target_project_id."
                )
            }
        }
        guard let path else { return Caller(scope: Scope(projectID: projectID), isPrivileged: isPrivileged) }
        return Caller(scope: try scope(project: path.project, tenant: path.tenant), isPrivileged: isPrivileged)
    }

    /// The scope that a path names.
    ///
    /// - Throws: `APIError` `PROJECT_NOT_FOUND`, `TENANT_NOT_FOUND` for names that are none of ours.
    func scope(project: String, tenant: String?) throws -> Scope {
        guard serves(project: project) else { throw APIError(.projectNotFound) }
        if let tenant, !Self.isIdentifier(tenant) { throw APIError(.tenantNotFound) }
        return Scope(projectID: project, tenantID: tenant)
    }

    /// The project that this server is for.
    var project: Scope { Scope(projectID: projectID) }

    /// The scope that a link names by an API key and perhaps a tenant.
    ///
    /// - Throws: ``TransportError`` for a key that is none of ours.
    func scope(apiKey: String?, tenant: String?) throws -> Scope {
        try check(apiKey: apiKey)
        return Scope(projectID: projectID, tenantID: tenant)
    }

    // Another scheme is as good as none.
    private func hasPrivilege(_ request: Request) throws -> Bool {
        guard let header = request.headers[.authorization] else { return false }
        let parts = header.split(separator: " ", maxSplits: 1)
        guard let scheme = parts.first, scheme.lowercased() == "bearer" else { return false }
        let token = parts.count > 1 ? String(parts[1]) : ""
        if acceptsOwner, token.lowercased() == "owner" || token.hasPrefix("ya29.") { return true }
        if let adminToken, constantTimeEqual(token, adminToken) { return true }
        throw TransportError.badBearer
    }

    /// Whether an administrator may name a project: in development any, otherwise ours.
    func serves(project: String) -> Bool {
        mode == .development ? Self.isIdentifier(project) : project == projectID
    }

    // What may stand in a path as an id; nothing else gets as far as a look-up (threat case TEN-03).
    private static func isIdentifier(_ text: String) -> Bool {
        text.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._:-]{0,127}/) != nil
    }

    private func checkAPIKey(_ request: Request) throws {
        let query = request.uri.queryParameters["key"].map(String.init)
        try check(apiKey: query ?? request.headers[.googleAPIKey])
    }

    private func check(apiKey: String?) throws {
        guard let key = apiKey, !key.isEmpty else { throw TransportError.missingKey }
        if mode == .development { return }
        // Every key is compared, so that the time does not tell which one nearly fitted.
        let matches = apiKeys.map { constantTimeEqual($0, key) }
        guard matches.contains(true) else { throw TransportError.unknownKey }
    }
}
