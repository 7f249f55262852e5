import HTTPTypes
import Project

/// One method of one path, for the API's description.
struct Operation: Sendable {
    /// A body that is sent or answered.
    enum Content: Sendable {
        case json(Schema)
        case form(Schema)
        case html
        /// A text of another media type.
        case text(String)
        /// No body.
        case nothing
    }

    /// The shapes of the query parameters, by name.
    typealias Query = [String: Shape]

    /// The endpoint's name.
    let name: String
    /// A short summary.
    let summary: String
    var access = Route.Access.open
    var query: Query = [:]
    /// The body in each of the accepted encodings.
    var request: [Content] = []
    /// The answers, by status.
    var answers: [Int: Content] = [200: .nothing]
    /// The body of errors.
    var error = Content.json(ErrorEnvelope.schema)
}

extension Operation {
    /// Describes an endpoint by the members that its body reads and the type of its answer.
    init<E: Endpoint>(_ endpoint: E.Type) {
        let name = String(describing: endpoint)
        let route = E.route
        var fields = FieldRecorder.fields(of: ScopeFields.self)
        fields.merge(FieldRecorder.fields(of: E.Body.self)) { $1 }
        self.init(name: name, summary: E.summary, access: route.access)
        answers = [200: .json(Schema(name: name + "Response", answer: E.Answer.self))]
        if route.method == .get {
            query = Dictionary(uniqueKeysWithValues: fields.map { (String($0.dropFirst()), $1) })
        } else {
            request = [.json(Schema(name: name + "Request", FieldRecorder.shape(of: fields)))]
            // Either spelling is accepted in both encodings; these are the usual ones. A form has texts only.
            if route.bodyForm == .formOrJSON {
                let names = fields.keys.map { MemberSpelling.snake(String($0.dropFirst())) }.sorted()
                request.append(.form(Schema(name: name + "Form", .object(naming: names.map { ($0, Shape.member($0)) }))))
            }
        }
    }

    /// Describes a method of the administration API by its resources.
    init<E: AdminEndpoint>(_ endpoint: E) {
        let route = endpoint.route
        let content = endpoint.content
        self.init(name: String(describing: E.self), summary: E.summary, access: route.access, query: endpoint.query)
        if content.takesMask { query["updateMask"] = .string }
        if let resource = content.request { request = [.json(resource)] }
        answers = [200: .json(content.answer)]
    }

    /// The names in braces in a path.
    static func parameters(of path: String) -> [String] {
        path.matches(of: /\{([A-Za-z]+)\}/).map { String($0.output.1) }
    }
}
