import Project

/// A place in a request that accepts a value, found in the API's own description.
struct RequestPlace {
    let method: String
    /// The endpoint's name, the same for every spelling of its path.
    let endpoint: String
    let path: String
    /// The place of a member of the body. The elements of lists are at "0".
    let pointer: [String]
    /// The name of a parameter of the query; `nil` when the place is in the body.
    var query: String?
    let schema: JSONValue
    /// Whether the description says that the value is ignored.
    var isReadOnly = false
    /// The members of the body that contain the place.
    var siblings: [String] = []

    // Paths with these parts lead to the same endpoints as others.
    private static let aliases = ["/admin/", "/identitytoolkit/"]

    /// Every place of every request in a description, in a fixed order.
    static func all(in document: JSONValue) -> [RequestPlace] {
        var places: [RequestPlace] = []
        for (name, item) in document["paths"]?.object ?? [:] {
            let path = name.text
            guard !path.contains("."), !aliases.contains(where: path.hasPrefix) else { continue }
            for (method, operation) in item.object ?? [:] where method != "head" && method != "delete" {
                places += found(method.text.uppercased(), path, operation, in: document)
            }
        }
        return places.sorted { ($0.path, $0.pointer.joined(), $0.query ?? "") < ($1.path, $1.pointer.joined(), $1.query ?? "") }
    }

    private static func found(
        _ method: String,
        _ path: String,
        _ operation: JSONValue,
        in document: JSONValue
    ) -> [RequestPlace] {
        let parameters = operation["parameters"]?.array?.filter { $0["in"] == "query" } ?? []
        let endpoint = (operation["operationId"]?.string ?? "").split(separator: "_").first.map(String.init) ?? ""
        var places = parameters.compactMap { parameter in
            parameter["name"]?.string.map {
                RequestPlace(
                    method: method,
                    endpoint: endpoint,
                    path: path,
                    pointer: [],
                    query: $0,
                    schema: parameter["schema"] ?? [:]
                )
            }
        }
        guard let content = operation["requestBody"]?["content"]?["application/json"]?["schema"] else { return places }
        let name = content["$ref"]?.string?.split(separator: "/").last.map(String.init) ?? ""
        let schema = document["components"]?["schemas"]?[name] ?? content
        let siblings = (schema["properties"]?.object ?? [:]).keys.map(\.text)
        places += inner(of: schema).map { pointer, schema, isReadOnly in
            RequestPlace(
                method: method,
                endpoint: endpoint,
                path: path,
                pointer: pointer,
                schema: schema,
                isReadOnly: isReadOnly,
                siblings: siblings
            )
        }
        return places
    }

    private static func inner(
        of schema: JSONValue,
        isReadOnly: Bool = false
    ) -> [(pointer: [String], schema: JSONValue, isReadOnly: Bool)] {
        var found: [(pointer: [String], schema: JSONValue, isReadOnly: Bool)] = []
        for (name, member) in schema["properties"]?.object ?? [:] {
            let isReadOnly = isReadOnly || member["readOnly"] == true
            found.append(([name.text], member, isReadOnly))
            found += inner(of: member, isReadOnly: isReadOnly).map { ([name.text] + $0, $1, $2) }
            found += inner(of: member["items"] ?? [:], isReadOnly: isReadOnly).map { ([name.text, "0"] + $0, $1, $2) }
        }
        return found
    }

    /// The places, with one path only for each endpoint.
    static func distinct(in document: JSONValue) -> [RequestPlace] {
        var seen: Set<[String]> = []
        return all(in: document).filter { seen.insert([$0.endpoint, $0.query ?? ""] + $0.pointer).inserted }
    }

    /// The path with names in place of its parameters.
    func path(of project: String) -> String {
        path.replacing("{project}", with: project).replacing("{tenant}", with: "t").replacing("{id}", with: "x")
    }

    /// A body with only a value at the place.
    func body(_ value: JSONValue) -> JSONValue { Self.body(pointer[...], value) }

    private static func body(_ pointer: ArraySlice<String>, _ value: JSONValue) -> JSONValue {
        guard let name = pointer.first else { return value }
        let inner = body(pointer.dropFirst(), value)
        return name == "0" ? [inner] : .object([MemberName(name): inner])
    }
}
