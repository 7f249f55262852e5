import HTTPTypes
import Project

/// One method under one path, as the API's description tells of it.
struct Operation: Sendable {
    /// What is sent or answered.
    enum Content: Sendable {
        case json(Schema)
        case form(Schema)
        case html
        /// A text of another media type.
        case text(String)
        /// A header says everything.
        case nothing
    }

    /// Where a parameter of a query has its name, what it is.
    typealias Query = [String: FieldKind]

    /// The endpoint's name.
    let name: String
    /// What it does, in a few words.
    let summary: String
    var access = Route.Access.open
    var query: Query = [:]
    /// The same body in each of the forms that are taken.
    var request: [Content] = []
    /// What is answered, by status.
    var answers: [Int: Content] = [200: .nothing]
    /// What an error is answered with.
    var error = Content.json(ErrorEnvelope.schema)
}

extension Operation {
    /// Describes an endpoint by what its body reads and what its answer holds.
    init<E: Endpoint>(_ endpoint: E.Type) {
        let name = String(describing: endpoint)
        let route = E.route
        var fields = FieldRecorder.fields(of: ScopeFields.self)
        fields.merge(FieldRecorder.fields(of: E.Body.self)) { $1 }
        self.init(name: name, summary: E.summary, access: route.access)
        answers = [200: .json(Schema(name: name + "Response", answer: E.Answer.self))]
        if route.method == .get {
            query = Dictionary(
                uniqueKeysWithValues: fields.map { pointer, kind in
                    let name = String(pointer.dropFirst())
                    return (name, kind == .string ? .shortString(FieldBounds.bytes(of: name)) : kind)
                }
            )
        } else {
            request = [.json(Schema(name: name + "Request", fields: fields))]
            // Either spelling is taken in either form; these are the usual ones.
            if route.bodyForm == .formOrJSON {
                let snake = fields.map { (ProtoObject.snakeCase($0), $1) }
                request.append(.form(Schema(name: name + "Form", fields: Dictionary(uniqueKeysWithValues: snake))))
            }
        }
    }

    /// Describes a method of the administration API by the resources that it takes and answers.
    init<E: AdminEndpoint>(_ endpoint: E) {
        let route = endpoint.route
        let content = endpoint.content
        self.init(name: String(describing: E.self), summary: E.summary, access: route.access, query: endpoint.query)
        if content.takesMask { query["updateMask"] = .string }
        if let resource = content.request { request = [.json(resource)] }
        answers = [200: .json(content.answer)]
    }

    /// The names in braces of a path.
    static func parameters(of path: String) -> [String] {
        path.matches(of: /\{([A-Za-z]+)\}/).map { String($0.output.1) }
    }
}
