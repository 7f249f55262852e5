import Project
import Tenancy

/// A method of the v2 administration API. Its path and query name its object, and its body is a resource, whose members never
/// choose a project or tenant. An endpoint holds no rules.
protocol AdminEndpoint: Sendable {
    var route: Route { get }

    /// A short summary for the API's description.
    static var summary: String { get }

    /// The query parameters besides the mask.
    var query: Operation.Query { get }

    /// The schemas of request and answer.
    var content: AdminContent { get }

    /// - Parameter call: The call, of an administrator unless the route is open.
    /// - Returns: The body of the answer, sent with status 200.
    func handle(_ call: AdminCall) async throws -> JSONValue
}

extension AdminEndpoint {
    var query: Operation.Query { [:] }
}

/// The schemas of a method of the administration API.
struct AdminContent: Sendable {
    var request: Schema?
    let answer: Schema
    /// Whether the method has an `updateMask`.
    var takesMask = false

    /// The answer is an empty object.
    static let nothing = AdminContent(answer: Schema(["type": "object"]))
}

/// The parameters of a listing.
struct PageQuery: ProtoDecodable {
    /// The page size; 0 for the default.
    let size: Int64
    /// The page token; empty for the first page.
    let token: String

    init(_ query: ProtoObject) throws {
        size = try query.integer("pageSize") ?? 0
        token = try query.string("pageToken") ?? ""
    }

    static let parameters: Operation.Query = ["pageSize": .int64, "pageToken": .string]

    static func answer(_ member: String, of resource: Schema) -> Schema {
        let members: JSONValue = ["nextPageToken": ["type": "string"]]
        return Schema([
            "type": "object",
            "properties": members.merging(.object([MemberName(member): ["type": "array", "items": resource.json]])),
        ])
    }
}

struct AdminCall: Sendable {
    /// The path's scope, the caller and the client.
    let context: CallContext
    /// The id of a resource below the scope; empty when the path has none.
    let id: String
    let query: ProtoObject
    /// The body, an object.
    let body: JSONValue
    /// All `updateMask` and `update_mask` parameters together.
    let mask: FieldMask?
}
