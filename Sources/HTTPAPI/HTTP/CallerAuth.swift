import Accounts
import HTTPTypes
import Hummingbird
import Logging
import Project
import Settings

/// Decides who calls, once per request and before its body is read (`Docs/Contract/conventions.md` §2).
struct CallerAuth: Sendable {
    let mode: ModeRules
    private let projectID: String
    private let apiKeys: [String]
    private let adminToken: String?
    /// Whether `Bearer owner` is an administrator.
    private let acceptsOwner: Bool
    private let credentials: AdminCredentials
    /// Decides about other projects than this server's; `nil` refuses them, as in production.
    private let otherProjects: OtherProjects?
    private let ownerWarning: OwnerWarning?

    /// - Parameter isPrivate: Whether the caller comes by the private listener.
    init(_ settings: Settings, isPrivate: Bool, credentials: AdminCredentials, logger: Logger) {
        self.credentials = credentials
        mode = settings.mode.rules
        projectID = settings.project.id
        apiKeys = if case .only(let keys) = settings.project.apiKeys { keys.sorted() } else { [] }
        adminToken = settings.admin.token?.reveal()
        acceptsOwner = mode.takesOwnerInPublic || isPrivate && settings.admin.acceptsOwner
        otherProjects =
            mode.servesOtherProjects
            ? OtherProjects(projectID: projectID, isSingle: settings.development.singleProject, logger: logger) : nil
        ownerWarning = isPrivate && !mode.takesOwnerInPublic ? OwnerWarning(logger: logger) : nil
    }

    /// An authenticated caller.
    struct Caller {
        let scope: Scope
        /// The administrator; `nil` for other callers.
        let administrator: Administrator?
        var isPrivileged: Bool { administrator != nil }
    }

    /// Authenticates a request.
    ///
    /// - Throws: ``TransportError``; `APIError` for a project or target that this caller may not name.
    func authenticate(
        _ request: Request,
        access: Route.Access,
        path: (project: String, tenant: String?)?
    ) async throws -> Caller {
        if access.isOpen, let path {
            return Caller(scope: try scope(project: path.project, tenant: path.tenant), administrator: nil)
        }
        // A bearer token must be valid on every route, even where it gives no rights.
        let bearer = try await administrator(request)
        let administrator = access.knowsAdministrators ? bearer : nil
        if let administrator {
            guard access.need.isMet(by: administrator.scopes) else { throw TransportError.insufficientScope }
        } else {
            if path != nil || access.isForAdministrators, mode.administratorsNeedBearer { throw TransportError.bearerRequired }
            if bearer == nil || !access.takesBearerForKey { try checkAPIKey(request) }
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

    /// The scope of a path.
    ///
    /// - Throws: `APIError` `PROJECT_NOT_FOUND`, `TENANT_NOT_FOUND` for invalid names and for projects that are not served.
    func scope(project: String, tenant: String?) throws -> Scope {
        try admit(project: project)
        if let tenant, !Self.isIdentifier(tenant) { throw APIError(.tenantNotFound) }
        return Scope(projectID: project, tenantID: tenant)
    }

    /// The project of this server.
    var project: Scope { Scope(projectID: projectID) }

    /// The scope of a link, by its API key and optional tenant.
    func scope(apiKey: String?, tenant: String?) throws -> Scope {
        try check(apiKey: apiKey)
        return Scope(projectID: projectID, tenantID: tenant)
    }

    /// Checks that an administrator calls, for routes outside the API.
    func requireAdministrator(_ request: Request, need: AdminNeed) async throws {
        guard let administrator = try await administrator(request) else { throw TransportError.bearerRequired }
        guard need.isMet(by: administrator.scopes) else { throw TransportError.insufficientScope }
    }

    private func administrator(_ request: Request) async throws -> Administrator? {
        guard let token = request.bearerToken else { return nil }
        if acceptsOwner, isEmulatorWord(token), !mode.administratorsNeedBearer || !mayBeOfPage(request) {
            ownerWarning?.say()
            return Administrator(actor: "owner", scopes: .all)
        }
        if let adminToken, constantTimeEqual(token, adminToken) { return Administrator(actor: "admin.token", scopes: .all) }
        guard let known = try await credentials.administrator(bearing: token) else { throw TransportError.badBearer }
        return known
    }

    // In production a page is no administrator by a word that everybody knows, also one of the console's own origin
    // (threat case EMU-02). Admin SDKs send none of these headers. Browsers send neither of them with a GET to a page's own origin over
    // plain HTTP, so a page could come by DNS rebinding, which needs a name.
    private func mayBeOfPage(_ request: Request) -> Bool {
        request.headers[.origin] != nil || request.headers[.secFetchSite] != nil || !isOfLocalHost(request)
    }

    private func isOfLocalHost(_ request: Request) -> Bool {
        guard let named = request.namedHost else { return true }
        guard let host = Authority(named)?.host else { return false }
        return host.address != nil || host.text == "localhost"
    }

    // A text with the form of Google's access tokens is accepted in development only (`Docs/Contract/conventions.md` §2).
    private func isEmulatorWord(_ token: String) -> Bool {
        token.lowercased() == "owner" || mode.takesGoogleTokensAsOwner && token.hasPrefix("ya29.")
    }

    /// Checks the project that an administrator names: development accepts any, production only this server's.
    ///
    /// - Throws: `APIError` `PROJECT_NOT_FOUND`; ``TransportError`` when development serves one project only.
    func admit(project: String) throws {
        if project == projectID { return }
        guard let otherProjects, Self.isIdentifier(project) else { throw APIError(.projectNotFound) }
        try otherProjects.meet(project)
    }

    // The permitted form of an id in a path. Other texts are refused before a look-up (threat case TEN-03).
    private static func isIdentifier(_ text: String) -> Bool {
        text.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._:-]{0,127}/) != nil
    }

    private func checkAPIKey(_ request: Request) throws {
        let query = request.uri.queryParameters["key"].flatMap { $0.isEmpty ? nil : String($0) }
        try check(apiKey: query ?? request.headers[.googleAPIKey])
    }

    private func check(apiKey: String?) throws {
        guard let key = apiKey, !key.isEmpty else { throw TransportError.missingKey }
        if !mode.checksAPIKeys { return }
        // All keys are compared, so that the time does not reveal which one nearly matched.
        let matches = apiKeys.map { constantTimeEqual($0, key) }
        guard matches.contains(true) else { throw TransportError.unknownKey }
    }
}
