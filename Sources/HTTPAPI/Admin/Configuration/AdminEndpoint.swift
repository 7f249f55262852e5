import Accounts
import Hummingbird
import Project

/// One method of the v2 administration API: its path and query say what the body is about, and the body is a resource, whose
/// members never choose a project or tenant. It holds no rule.
protocol AdminEndpoint: Sendable {
    var route: Route { get }

    /// What it does, in a few words, for the API's description.
    static var summary: String { get }

    /// The parameters of the query that it reads, besides the mask.
    var query: Operation.Query { get }

    /// What it takes and answers.
    var content: AdminContent { get }

    /// - Parameter call: The call, of an administrator unless the route is open.
    /// - Returns: The body of the answer, sent with status 200.
    /// - Throws: What ``ErrorEnvelope`` renders.
    func handle(_ call: AdminCall) async throws -> JSONValue
}

extension AdminEndpoint {
    var query: Operation.Query { [:] }
}

/// What a method of the administration API takes and answers.
struct AdminContent: Sendable {
    var request: Schema?
    let answer: Schema
    /// Whether `updateMask` says what is touched.
    var takesMask = false

    /// An empty object.
    static let nothing = AdminContent(answer: Schema(["type": "object"]))
}

/// The parameters of a listing.
struct PageQuery: ProtoDecodable {
    /// 0 for the usual size.
    let size: Int64
    /// Empty for the first page.
    let token: String

    init(_ query: ProtoObject) throws {
        size = try query.integer("pageSize") ?? 0
        token = try query.string("pageToken") ?? ""
    }

    static let parameters: Operation.Query = ["pageSize": .integer, "pageToken": .string]

    /// A page of resources.
    static func answer(_ member: String, of resource: Schema) -> Schema {
        let members: JSONValue = ["nextPageToken": ["type": "string"]]
        return Schema([
            "type": "object",
            "properties": members.merging(.object([MemberName(member): ["type": "array", "items": resource.json]])),
        ])
    }
}

/// What an administrator asks.
struct AdminCall: Sendable {
    /// Scope of the path, caller and client.
    let context: CallContext
    /// The id of a resource below the scope, empty when the path names none.
    let id: String
    let query: ProtoObject
    /// An object.
    let body: JSONValue
    /// `updateMask` or `update_mask`, each as often as it comes.
    let mask: FieldMask?
}

extension EndpointRunner {
    func run(_ endpoint: some AdminEndpoint, _ request: Request, _ context: PosternContext) async throws -> Response {
        let route = endpoint.route
        let path = context.parameters.get("project").map { ($0, context.parameters.get("tenant")) }
        let caller = try await auth.authenticate(request, access: route.access, path: path)
        if caller.isPrivileged { await context.announceAdministrator() }
        let limit = bodyLimits.limit(isPrivileged: caller.isPrivileged)
        let body = try await body(of: request, route, limit: limit)
        let pairs = RequestBody.queryPairs(request)
        let masks = pairs.filter { $0.name == "updateMask" || $0.name == "update_mask" }.map(\.value)
        let call = AdminCall(
            context: CallContext(
                scope: caller.scope,
                isPrivileged: caller.isPrivileged,
                actor: caller.administrator?.actor,
                adminScopes: caller.administrator?.scopes ?? [],
                address: clientAddress.resolve(request, context),
                userAgent: request.headers[.userAgent]
            ),
            id: context.parameters.get("id") ?? "",
            query: ProtoObject(RequestBody.query(request)),
            body: .object(body),
            mask: try FieldMask(masks.joined(separator: ","))
        )
        return try JSONAnswer.response(try await endpoint.handle(call))
    }

    // The Node Admin SDK sends a body with DELETE, which says nothing.
    private func body(of request: Request, _ route: Route, limit: Int) async throws -> JSONObject {
        switch route.method {
        case .get: return [:]
        case .delete:
            try await RequestBody.discard(request, limit: limit)
            return [:]
        default: return try await RequestBody.json(request, limit: limit)
        }
    }
}
