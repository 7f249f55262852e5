import Project
import Tenancy

/// A method of the v2 administration API. Its path and query name its object, and its body is a resource, whose members never
/// choose a project or tenant. A method holds no rules.
struct AdminMethod: Sendable {
    /// The name in the API's description.
    let name: String
    /// A short summary for the API's description.
    let summary: String
    let route: Route
    /// The query parameters besides the mask.
    var query: Operation.Query = [:]
    /// The schema of the body; `nil` without one.
    var request: Schema?
    /// The schema of the answer: an empty object, unless it is said.
    var answer = Schema(["type": "object"])
    /// Whether the method has an `updateMask`.
    var takesMask = false
    /// Answers the call of an administrator, or of anybody if the route is open, with the body that is sent with status 200.
    let handle: @Sendable (AdminCall) async throws -> JSONValue
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

    static let parameters: Operation.Query = ["pageSize": .integer, "pageToken": .string]

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
