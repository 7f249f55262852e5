import Project
import TestKit

/// Shows and checks the order of members in answers.
enum AnswerOrder {
    /// The names of a document in their order, and `_` for each value. The elements of lists are sorted, as their order depends on
    /// random ids.
    static func outline(_ value: JSONValue) -> String {
        switch value {
        case .object(let members): "{" + members.map { "\($0.key):\(outline($0.value))" }.joined(separator: ",") + "}"
        case .array(let elements): "[" + elements.map(outline).sorted().joined(separator: ",") + "]"
        default: "_"
        }
    }

    /// The places where members stand in another order than a schema of the API's description declares them.
    static func disorder(_ value: JSONValue, _ schema: JSONValue, _ description: JSONValue, at place: String = "") -> [String] {
        if let reference = schema["$ref"]?.string?.split(separator: "/").last {
            return disorder(value, description["components"]?["schemas"]?[String(reference)] ?? [:], description, at: place)
        }
        switch value {
        case .object(let members):
            let declared = schema["properties"]?.object ?? [:]
            let found = members.keys.filter { declared[$0] != nil }
            let expected = declared.keys.filter { members[$0] != nil }
            return (found == expected ? [] : ["\(place): \(found), declared \(expected)"])
                + members.flatMap { name, member in
                    disorder(member, declared[name] ?? schema["additionalProperties"] ?? [:], description, at: "\(place)/\(name)")
                }
        case .array(let elements):
            return elements.flatMap { disorder($0, schema["items"] ?? [:], description, at: "\(place)/0") }
        default: return []
        }
    }

    /// What the API's description says of an answer.
    static func schema(_ method: String, _ path: String, status: Int, in description: JSONValue) -> JSONValue? {
        let path = path.split(separator: "?").first.map(String.init) ?? path
        let paths = description["paths"]?.object ?? [:]
        let found = paths[path] ?? paths.first { fits(path, $0.key.text) }?.value
        let answers = found?[method.lowercased()]?["responses"]
        return (answers?[String(status)] ?? answers?["default"])?["content"]?["application/json"]?["schema"]
    }

    private static func fits(_ path: String, _ template: String) -> Bool {
        let (parts, names) = (path.split(separator: "/"), template.split(separator: "/"))
        return parts.count == names.count
            && zip(parts, names).allSatisfy { part, name in
                guard name.first == "{", let end = name.firstIndex(of: "}") else { return part == name }
                let rest = name[name.index(after: end)...]
                return rest.isEmpty ? !part.contains(":") : part.hasSuffix(rest)
            }
    }
}

/// Calls that between them have every kind of answer, and what came back.
struct AnswerTour {
    let client: TestClient
    let headers: [(String, String)]
    let description: JSONValue
    /// One line a call.
    private(set) var outlines: [String] = []
    /// What stands in another order than its type declares.
    private(set) var disorder: [String] = []
    /// Calls that had another status than they should have.
    private(set) var surprises: [String] = []

    init(_ client: TestClient, bearer: String) async throws {
        self.client = client
        headers = [("Authorization", "Bearer \(bearer)"), ("Content-Type", "application/json")]
        description = try await client.get("/openapi.json").json
        outlines.append("/openapi.json " + AnswerOrder.outline(description))
    }

    /// Makes a call; a body makes it a POST.
    @discardableResult
    mutating func call(
        _ path: String,
        _ body: JSONValue? = nil,
        method: String? = nil,
        isAdministrator: Bool = false,
        status: Int = 200
    ) async throws -> JSONValue {
        let method = method ?? (body == nil ? "GET" : "POST")
        let answer = try await client.send(
            method,
            path,
            headers: isAdministrator ? headers : headers.filter { $0.0 != "Authorization" },
            body: body?.serialized()
        )
        note(method, path, answer, status)
        return answer.json
    }

    mutating func call(_ path: String, form: [(String, String)]) async throws {
        note("POST", path, try await client.post(path, form: form), 200)
    }

    private mutating func note(_ method: String, _ path: String, _ answer: TestClient.Answer, _ status: Int) {
        if answer.status != status { surprises.append("\(method) \(path): \(answer.status) \(answer.json.text)") }
        // Key ids are names, and chance.
        let isMapOfKeys = path.contains("publicKeys") || path.contains("/x509/")
        let place = path.replacing(/\/tenants\/\w+/, with: "/tenants/")
        outlines.append("\(method) \(place) " + (isMapOfKeys ? "" : AnswerOrder.outline(answer.json)))
        let schema = AnswerOrder.schema(method, path, status: answer.status, in: description)
        disorder += AnswerOrder.disorder(answer.json, schema ?? [:], description).map { "\(method) \(path) \($0)" }
    }
}
