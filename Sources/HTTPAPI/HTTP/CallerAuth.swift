package import Accounts
import HTTPTypes
import Hummingbird
package import Project

/// Who calls: decided once per request, before its body is looked at (`contract/conventions.md` §2).
package struct CallerAuth: Sendable {
    let mode: ServerMode
    private let projectID: String
    private let apiKeys: [String]
    private let adminToken: String?
    private let acceptsOwner: Bool
    private let credentials: AdminCredentials
    private let otherProjects: OtherProjects?
    private let ownerWarning: OwnerWarning?

    /// - Parameters:
    ///   - mode: Development takes any API key.
    ///   - projectID: `project.id`.
    ///   - apiKeys: `project.apiKeys`.
    ///   - adminToken: `admin.token`.
    ///   - acceptsOwner: Whether `Bearer owner` is an administrator: in development, and on the private listener.
    ///   - credentials: Knows the tokens that the store vouches for.
    ///   - otherProjects: What becomes of other projects than ours; `nil` serves none, as in production.
    ///   - ownerWarning: Says what it means that an administrator came as `owner`; `nil` where that is as it should be.
    package init(
        mode: ServerMode,
        projectID: String,
        apiKeys: [String],
        adminToken: String?,
        acceptsOwner: Bool,
        credentials: AdminCredentials,
        otherProjects: OtherProjects?,
        ownerWarning: OwnerWarning? = nil
    ) {
        self.ownerWarning = ownerWarning
        self.credentials = credentials
        self.otherProjects = otherProjects
        self.mode = mode
        self.projectID = projectID
        self.apiKeys = apiKeys
        self.adminToken = adminToken
        self.acceptsOwner = acceptsOwner
    }

    /// A caller that may go on.
    struct Caller {
        let scope: Scope
        /// `nil` for anybody but an administrator.
        let administrator: Administrator?
        var isPrivileged: Bool { administrator != nil }
    }

    /// Decides.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - access: What the route accepts.
    ///   - path: Project and tenant of the path, if it names them.
    /// - Returns: The caller and the scope that the path or the API key selects.
    /// - Throws: ``TransportError``; `APIError` for a project or target that this caller may not name.
    func authenticate(
        _ request: Request,
        access: Route.Access,
        path: (project: String, tenant: String?)?
    ) async throws -> Caller {
        if access.isOpen, let path {
            return Caller(scope: try scope(project: path.project, tenant: path.tenant), administrator: nil)
        }
        // A bearer that is there must be good on every route, also where it does not help.
        let bearer = try await administrator(request)
        let administrator = access.knowsAdministrators ? bearer : nil
        if let administrator {
            guard access.need.isMet(by: administrator.scopes) else { throw TransportError.insufficientScope }
        } else {
            if path != nil || access.isForAdministrators, mode == .production { throw TransportError.bearerRequired }
            try checkAPIKey(request)
            if path != nil {
                throw APIError(
                    .insufficientPermission,
                    "Only authenticated requests can specify target_project_id."
                )
            }
        }
        guard let path else { return Caller(scope: Scope(projectID: projectID), administrator: administrator) }
        return Caller(scope: try scope(project: path.project, tenant: path.tenant), administrator: administrator)
    }

    /// The scope that a path names.
    ///
    /// - Throws: `APIError` `PROJECT_NOT_FOUND`, `TENANT_NOT_FOUND` for names that are none of ours.
    func scope(project: String, tenant: String?) throws -> Scope {
        try admit(project: project)
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

    /// Lets an administrator in and nobody else, for routes outside the API.
    ///
    /// - Throws: ``TransportError``; `StorageError`.
    func requireAdministrator(_ request: Request, need: AdminNeed) async throws {
        guard let administrator = try await administrator(request) else { throw TransportError.bearerRequired }
        guard need.isMet(by: administrator.scopes) else { throw TransportError.insufficientScope }
    }

    private func administrator(_ request: Request) async throws -> Administrator? {
        guard let token = request.bearerToken else { return nil }
        if acceptsOwner, isEmulatorWord(token) {
            ownerWarning?.say()
            return Administrator(actor: "owner", scopes: .all)
        }
        if let adminToken, constantTimeEqual(token, adminToken) { return Administrator(actor: "admin.token", scopes: .all) }
        guard let known = try await credentials.administrator(bearing: token) else { throw TransportError.badBearer }
        return known
    }

    // What looks like one of Google's access tokens is taken for one in development only (`contract/conventions.md` §2).
    private func isEmulatorWord(_ token: String) -> Bool {
        token.lowercased() == "owner" || mode == .development && token.hasPrefix("ya29.")
    }

    /// Lets through the projects that an administrator may name: in development any, otherwise ours.
    ///
    /// - Throws: `APIError` `PROJECT_NOT_FOUND`; ``TransportError`` where development serves one project only.
    func admit(project: String) throws {
        if project == projectID { return }
        guard let otherProjects, Self.isIdentifier(project) else { throw APIError(.projectNotFound) }
        try otherProjects.meet(project)
    }

    // What may stand in a path as an id; nothing else gets as far as a look-up (threat case TEN-03).
    private static func isIdentifier(_ text: String) -> Bool {
        text.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._:-]{0,127}/) != nil
    }

    private func checkAPIKey(_ request: Request) throws {
        let query = request.uri.queryParameters["key"].flatMap { $0.isEmpty ? nil : String($0) }
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
