import HTTPTypes
import Hummingbird
import Project
import Tenancy

/// The size limits of request bodies in bytes. Large bodies are read only from administrators, after their credential was checked
/// (threat case RES-03).
struct BodyLimits: Sendable {
    /// `server.maxBodyBytes`
    let maximum: Int
    /// `limits.bodies.publicBytes`
    let ofStrangers: Int

    /// The size limit of a call's body in bytes.
    func limit(isPrivileged: Bool, ofRoute route: Int? = nil) -> Int {
        isPrivileged ? max(maximum, route ?? 0) : min(maximum, ofStrangers)
    }
}

/// Runs endpoints in a fixed order: caller, body and its JSON shape, scope, rules.
struct EndpointRunner: Sendable {
    let auth: CallerAuth
    let bodyLimits: BodyLimits
    /// Rule 0 of every endpoint: throws when the scope's accounts are disabled or its tenant does not exist.
    let availability: @Sendable (Scope) async throws -> Void

    func serve<E: Endpoint>(_ endpoint: E, _ request: Request, _ context: PosternContext) async throws -> Response {
        let route = E.route
        let (caller, limit) = try await admit(request, to: route, context)
        // Errors of the body's shape come before all others (`Docs/Contract/conventions.md` §3).
        let (object, body) = try await TracedOperation.decode.trace {
            let object = ProtoObject(
                try await Self.members(of: request, in: route, isPrivileged: caller.isPrivileged, limit: limit, context),
                isLenient: !auth.mode.boundsProfileTexts
            )
            return (object, try E.Body(object))
        }
        let isInPath = context.parameters.get("project") != nil
        var call = Self.call(of: caller, in: try scope(of: object, caller: caller, isInPath: isInPath), request, context)
        context.facts.note(call, object)
        try await checkAvailability(call)
        call.delivery = context.facts
        return try JSONAnswer.response(try await endpoint.handle(body, call))
    }

    func serve(_ endpoint: some AdminEndpoint, _ request: Request, _ context: PosternContext) async throws -> Response {
        let (caller, limit) = try await admit(request, to: endpoint.route, context)
        let body = try await Self.body(of: request, endpoint.route, limit: limit, context)
        let masks = RequestBody.queryPairs(request).filter { $0.name == "updateMask" || $0.name == "update_mask" }.map(\.value)
        let callContext = Self.call(of: caller, in: caller.scope, request, context)
        context.facts.call = callContext
        let call = AdminCall(
            context: callContext,
            id: context.parameters.get("id") ?? "",
            query: ProtoObject(RequestBody.query(request)),
            body: .object(body),
            mask: try FieldMask(masks.joined(separator: ","))
        )
        return try JSONAnswer.response(try await endpoint.handle(call))
    }

    /// The caller, and how large the call's body may be.
    private func admit(
        _ request: Request,
        to route: Route,
        _ context: PosternContext
    ) async throws -> (caller: CallerAuth.Caller, limit: Int) {
        let path = context.parameters.get("project").map { ($0, context.parameters.get("tenant")) }
        let caller = try await auth.authenticate(request, access: route.access, path: path)
        if caller.isPrivileged { await context.announceAdministrator() }
        return (caller, bodyLimits.limit(isPrivileged: caller.isPrivileged, ofRoute: route.bodyLimit))
    }

    private static func call(
        of caller: CallerAuth.Caller,
        in scope: Scope,
        _ request: Request,
        _ context: PosternContext
    ) -> CallContext {
        CallContext(
            scope: scope,
            isPrivileged: caller.isPrivileged,
            actor: caller.administrator?.actor,
            adminScopes: caller.administrator?.scopes ?? [],
            address: context.facts.address,
            requestID: context.requestID,
            userAgent: request.headers[.userAgent],
            locale: request.headers[.firebaseLocale],
            acceptLanguage: request.headers[.acceptLanguage],
            iosBundleID: request.headers[.iosBundleIdentifier].flatMap { $0.isEmpty ? nil : $0 },
            origin: request.headers[.origin]
        )
    }

    // The Node Admin SDK sends a body with DELETE, which is ignored.
    private static func body(
        of request: Request,
        _ route: Route,
        limit: Int,
        _ context: PosternContext
    ) async throws -> JSONObject {
        switch route.method {
        case .get: return [:]
        case .delete:
            try await RequestBody.discard(request, limit: limit)
            return [:]
        default: return try await RequestBody.json(request, limit: limit, context)
        }
    }

    private static func members(
        of request: Request,
        in route: Route,
        isPrivileged: Bool,
        limit: Int,
        _ context: PosternContext
    ) async throws -> JSONObject {
        if route.method == .get { return RequestBody.query(request) }
        let isForm = request.headers[.contentType].map(RequestBody.isForm) ?? false
        guard isForm, route.takesForms(isPrivileged: isPrivileged) else {
            return try await RequestBody.json(request, limit: limit, context)
        }
        return try await RequestBody.formOrJSON(request, limit: limit, context)
    }

    // For administrators an unknown tenant has another error (`Docs/Contract/admin-accounts.md` §1.2).
    private func checkAvailability(_ call: CallContext) async throws {
        do {
            try await availability(call.scope)
        } catch let error as APIError where error.code == .invalidTenantID && call.isPrivileged {
            var error = APIError(.tenantNotFound)
            error.status = 400
            throw error
        }
    }

    // `Docs/Contract/conventions.md` §2.1: the path's tenant counts, then the body's; if both are given and differ, the call is
    // refused.
    private func scope(of body: ProtoObject, caller: CallerAuth.Caller, isInPath: Bool) throws -> Scope {
        var scope = caller.scope
        let named = try ScopeFields(body)
        if let target = named.projectID {
            guard caller.isPrivileged else {
                throw APIError(.insufficientPermission, "Only authenticated requests can specify target_project_id.")
            }
            let isElsewhere = target != scope.projectID
            guard !(isInPath && isElsewhere) else { throw APIError(.projectNotFound) }
            try auth.admit(project: target)
            scope = Scope(projectID: target, tenantID: scope.tenantID)
        }
        guard let tenantID = named.tenantID else { return scope }
        if let selected = scope.tenantID, selected != tenantID { throw APIError(.tenantIDMismatch) }
        return Scope(projectID: scope.projectID, tenantID: tenantID)
    }
}

struct ScopeFields: ProtoDecodable {
    let projectID: String?
    let tenantID: String?

    init(_ body: ProtoObject) throws {
        projectID = try body.text("targetProjectId")
        tenantID = try body.text("tenantId")
    }
}
