import HTTPTypes
import Project

/// The description of the API (OpenAPI 3.0.3), made from the route table, so that it covers exactly what is served.
struct OpenAPIDocument: Sendable {
    /// The operations by path and method.
    let operations: [String: [HTTPRequest.Method: Operation]]

    init(_ descriptions: [RouteDescription]) {
        operations = descriptions.reduce(into: [:]) { operations, description in
            let (method, operation) = (description.method, description.operation())
            for path in description.paths {
                operations[path, default: [:]][method] = operation
                if method == .get { operations[path, default: [:]][.head] = operation }
            }
        }
    }

    private static let about = """
        Firebase Authentication's REST API as Postern speaks it. Members may be written in camelCase or snake_case; null counts \
        as absent, and unknown members are ignored. Numbers may stand where texts are declared, and enum values may be given by \
        index.
        """

    func json(servers: JSONValue) -> JSONValue {
        var schemas: JSONObject = [:]
        var names: [String: Int] = [:]
        var paths: JSONObject = [:]
        for path in operations.keys.sorted() {
            var item: JSONObject = [:]
            for (method, operation) in (operations[path] ?? [:]).sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                let count = names[operation.name, default: 0] + 1
                names[operation.name] = count
                let id = count == 1 ? operation.name : "\(operation.name)_\(count)"
                item[method.rawValue.lowercased()] = describe(operation, method, path, id: id, &schemas)
            }
            paths[path] = .object(item)
        }
        return [
            "openapi": "3.0.3",
            "info": ["title": "Postern", "version": "1", "description": .string(Self.about)],
            "servers": servers,
            "paths": .object(paths),
            "components": ["schemas": .object(schemas), "securitySchemes": Self.securitySchemes],
        ]
    }

    private func describe(
        _ operation: Operation,
        _ method: HTTPRequest.Method,
        _ path: String,
        id: String,
        _ schemas: inout JSONObject
    ) -> JSONValue {
        var described: JSONValue = [
            "operationId": .string(id), "summary": .string(operation.summary),
            "security": Self.security(operation.access, namesProject: path.contains("{project}")),
        ]
        let parameters =
            Operation.parameters(of: path).map { Self.parameter($0, in: "path", ["type": "string"]) }
            + operation.query.sorted { $0.key < $1.key }.map { Self.parameter($0, in: "query", $1.jsonSchema) }
        if !parameters.isEmpty { described["parameters"] = .array(parameters) }
        if !operation.request.isEmpty {
            let bodies = operation.request.map { Self.content($0, &schemas) }
            described["requestBody"] = ["content": bodies.reduce([:]) { $0.merging($1) }]
        }
        var responses: JSONObject = [:]
        let hasBody = method != .head
        for (status, content) in operation.answers.sorted(by: { $0.key < $1.key }) {
            responses[String(status)] = Self.response("The answer.", hasBody ? content : .nothing, &schemas)
        }
        responses["default"] = Self.response("An error.", hasBody ? operation.error : .nothing, &schemas)
        described["responses"] = .object(responses)
        return described
    }

    private static func parameter(_ name: String, in place: String, _ schema: JSONValue) -> JSONValue {
        var parameter: JSONValue = ["name": .string(name), "in": .string(place), "schema": schema]
        if place == "path" { parameter["required"] = true }
        return parameter
    }

    private static func response(
        _ description: String,
        _ content: Operation.Content,
        _ schemas: inout JSONObject
    ) -> JSONValue {
        var response: JSONValue = ["description": .string(description)]
        let body = Self.content(content, &schemas)
        if body != [:] { response["content"] = body }
        return response
    }

    private static func content(_ content: Operation.Content, _ schemas: inout JSONObject) -> JSONValue {
        switch content {
        case .json(let schema): ["application/json": ["schema": reference(to: schema, &schemas)]]
        case .form(let schema): ["application/x-www-form-urlencoded": ["schema": reference(to: schema, &schemas)]]
        case .html: ["text/html": ["schema": ["type": "string"]]]
        case .text(let type): .object([MemberName(type): ["schema": ["type": "string"]]])
        case .nothing: [:]
        }
    }

    private static func reference(to schema: Schema, _ schemas: inout JSONObject) -> JSONValue {
        guard let name = schema.name else { return schema.json }
        schemas[name] = schema.json
        return ["$ref": .string("#/components/schemas/\(name)")]
    }

    private static func security(_ access: Route.Access, namesProject: Bool) -> JSONValue {
        let key: [JSONValue] = [["apiKey": []], ["apiKeyHeader": []]]
        let administrator: JSONValue = ["administrator": []]
        return switch access {
        case .open: []
        case .apiKeyOnly: .array(key)
        case .apiKeyOrBearer: .array(key + [administrator])
        case .adminOnly: [administrator]
        // Only administrators may name a project.
        case .apiKeyOrAdmin: namesProject ? [administrator] : .array(key + [administrator])
        }
    }

    private static let securitySchemes: JSONValue = [
        "apiKey": ["type": "apiKey", "in": "query", "name": "key", "description": "An API key of the project."],
        "apiKeyHeader": ["type": "apiKey", "in": "header", "name": "x-goog-api-key", "description": "The same in a header."],
        "administrator": ["type": "http", "scheme": "bearer", "description": "An OAuth 2 access token of an administrator."],
    ]
}
