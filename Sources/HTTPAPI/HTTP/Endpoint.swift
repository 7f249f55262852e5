import Project

/// One method of the API. It decodes a request, calls one use case and makes the answer; it holds no rules.
protocol Endpoint: Sendable {
    associatedtype Body: ProtoDecodable
    /// Decodable, so that ``Schema`` learns its members.
    associatedtype Answer: Codable

    /// A short summary for the API's description.
    static var summary: String { get }

    static var route: Route { get }

    /// - Parameter body: The request's body, or the query of a GET.
    /// - Returns: The body of the answer, sent with status 200.
    func handle(_ body: Body, _ context: CallContext) async throws -> Answer
}
