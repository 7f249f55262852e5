import Foundation
import Project
import TestKit
import Testing

@testable import postern

@Suite("Nothing that a caller writes makes the server fail", .timeLimit(.minutes(15)))
struct HostileInputTests {
    /// One place of a request that can be filled with anything, found in the API's own description.
    private struct Place {
        let method: String
        let path: String
        /// Of a member of the body; the elements of lists stand at "0".
        let pointer: [String]
        /// Of a parameter of the query.
        var query: String?
    }

    // Other spellings of a path lead to the same endpoint.
    private static let aliases = ["/admin/", "/identitytoolkit/"]

    private static func places(in document: JSONValue) -> [Place] {
        var places: [Place] = []
        for (path, item) in document["paths"]?.object ?? [:]
        where !path.contains(".") && !aliases.contains(where: path.hasPrefix) {
            for (method, operation) in item.object ?? [:] where method != "head" && method != "delete" {
                let parameters = operation["parameters"]?.array?.filter { $0["in"] == "query" } ?? []
                for name in parameters.compactMap({ $0["name"]?.string }) {
                    places.append(Place(method: method.uppercased(), path: path, pointer: [], query: name))
                }
                guard let schema = operation["requestBody"]?["content"]?["application/json"]?["schema"] else { continue }
                let name = schema["$ref"]?.string?.split(separator: "/").last.map(String.init) ?? ""
                let pointers = pointers(in: document["components"]?["schemas"]?[name] ?? schema)
                places += pointers.map { Place(method: method.uppercased(), path: path, pointer: $0) }
            }
        }
        return places.sorted { ($0.path, $0.pointer.joined()) < ($1.path, $1.pointer.joined()) }
    }

    private static func pointers(in schema: JSONValue) -> [[String]] {
        (schema["properties"]?.object ?? [:]).flatMap { name, member in
            let inner = pointers(in: member).map { [name] + $0 }
            return [[name]] + inner + pointers(in: member["items"] ?? [:]).map { [name, "0"] + $0 }
        }
    }

    private static func body(_ pointer: ArraySlice<String>, _ value: JSONValue) -> JSONValue {
        guard let name = pointer.first else { return value }
        let inner = body(pointer.dropFirst(), value)
        return name == "0" ? [inner] : [name: inner]
    }

    private static let values: [JSONValue] = [
        "a\u{0}b", "\u{FFFF}\u{202E}", .integer(.min), .integer(.max), -1.5, [[]], ["\u{0}", .integer(.min)],
    ]
    private static let texts = ["a%00b", "%FF%FE", "-9223372036854775808", "9223372036854775807", "%ED%A0%80"]

    @Test("at any place of any request", arguments: TestServer.Engine.allCases, [ServerMode.development, .production])
    func everywhere(engine: TestServer.Engine, mode: ServerMode) async throws {
        try await TestServer.running(mode: mode, on: engine) { server in
            let project = server.core.settings.project.id
            let document = try await server.client.get("/openapi.json").json
            for place in Self.places(in: document) {
                let path = place.path.replacing("{project}", with: project).replacing("{tenant}", with: "t").replacing(
                    "{id}",
                    with: "x"
                )
                for index in 0..<(place.query == nil ? Self.values : Self.texts.map { .string($0) }).count {
                    let query = place.query.map { "&\($0)=\(Self.texts[index])" } ?? ""
                    let answer = try await server.client.send(
                        place.method,
                        "\(path)?key=\(TestServer.apiKey)&apiKey=\(TestServer.apiKey)&mode=resetPassword&oobCode=x\(query)",
                        headers: [("Authorization", "Bearer \(TestServer.adminToken)"), ("Content-Type", "application/json")],
                        body: place.method == "GET" ? nil : Self.body(place.pointer[...], Self.values[index]).serialized()
                    )
                    #expect(answer.status < 500 || answer.status == 501, "\(place) \(index)")
                }
            }
        }
    }

    @Test("as the index of an enum that no enum has")
    func enumIndex() async throws {
        try await TestServer.running(mode: .development) { server in
            for index in [Int64.min, -1, 99, .max] {
                let body: JSONValue = ["mfa": ["state": .integer(index)]]
                let answer = try await server.client.send(
                    "PATCH",
                    "/emulator/v1/projects/demo-test/config",
                    headers: [("Content-Type", "application/json")],
                    body: body.serialized()
                )
                #expect(answer.status == 400)
            }
        }
    }

    @Test("as the character U+0000 in links and paths", arguments: TestServer.Engine.allCases)
    func nul(engine: TestServer.Engine) async throws {
        try await TestServer.running(mode: .development, on: engine) { server in
            for page in ["/__/auth/action", "/emulator/action"] {
                for query in ["oobCode=%00", "oobCode=x&tenantId=%00", "oobCode=x&continueUrl=%00"] {
                    let answer = try await server.client.get("\(page)?apiKey=k&mode=resetPassword&\(query)")
                    #expect(answer.status == 400)
                }
            }
            for listing in ["oobCodes", "verificationCodes"] {
                for scope in ["%00", "demo-test/tenants/%00"] {
                    let answer = try await server.client.get("/emulator/v1/projects/\(scope)/\(listing)")
                    #expect(answer.status == 400 || answer.status == 404)
                }
            }
        }
    }
}
