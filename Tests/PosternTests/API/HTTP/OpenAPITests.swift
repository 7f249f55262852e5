import HTTPAPI
import Project
import Settings
import TestKit
import Testing

@testable import Server

@Suite("The API describes itself", .teardown, .timeLimit(.minutes(15)))
struct OpenAPITests {
    @Test("every route that is served, and nothing else", arguments: [ServerMode.development, .production])
    func coverage(mode: ServerMode) async throws {
        let server = try await TestServer.start(mode: mode)
        let answer = try await server.client.get("/openapi.json")
        #expect(answer.status == 200)
        #expect(answer.header("Content-Type") == "application/json; charset=utf-8")
        let paths = try #require(answer["paths"]?.object)
        let described = paths.flatMap { path, item in item.object?.keys.map { "\($0.text.uppercased()) \(path)" } ?? [] }
        let routes = Listener(core: server.core).api(isPrivate: false).routes
        #expect(described.sorted() == routes)
        #expect(paths["/v1/accounts:signUp"] != nil)
    }

    @Test("each with a summary, an id of its own, its parameters, its credentials and an error")
    func operations() async throws {
        let server = try await TestServer.start(mode: .development)
        let document = try await server.client.get("/openapi.json").json
        var ids: Set<String> = []
        for (path, item) in try #require(document["paths"]?.object) {
            for (method, operation) in item.object ?? [:] {
                #expect(operation["summary"]?.string?.isEmpty == false)
                let isNew = ids.insert(operation["operationId"]?.string ?? "").inserted
                #expect(isNew)
                #expect(operation["responses"]?["default"] != nil)
                #expect(operation["security"]?.array != nil)
                let named = operation["parameters"]?.array?.filter { $0["in"] == "path" && $0["required"] == true } ?? []
                let braced = path.text.matches(of: /\{(\w+)\}/).map { String($0.output.1) }
                #expect(named.compactMap { $0["name"]?.string } == braced)
                #expect(["post", "patch"].contains(method) || operation["requestBody"] == nil)
            }
        }
        let references = document.text.matches(of: /"#\/components\/schemas\/(\w+)"/).map { String($0.output.1) }
        #expect(Set(references) == Set(document["components"]?["schemas"]?.object?.keys.map(\.text) ?? []))
        #expect(document["openapi"]?.string?.hasPrefix("3.") == true)
    }

    @Test("with the credentials that each takes")
    func security() async throws {
        let server = try await TestServer.start()
        let paths = try #require(try await server.client.get("/openapi.json")["paths"])
        let key: [JSONValue] = [["apiKey": []], ["apiKeyHeader": []]]
        let administrator: JSONValue = ["administrator": []]
        #expect(paths["/v1/token"]?["post"]?["security"] == .array(key + [administrator]))
        #expect(paths["/v2/accounts/mfaSignIn:start"]?["post"]?["security"] == .array(key))
        #expect(paths["/v1/accounts:signUp"]?["post"]?["security"] == .array(key + [administrator]))
        #expect(paths["/v1/projects/{project}/accounts"]?["post"]?["security"] == [administrator])
        #expect(paths["/v2/projects/{project}/config"]?["patch"]?["security"] == [administrator])
        #expect(paths["/.well-known/jwks.json"]?["get"]?["security"] == [])
    }

    @Test("with what bodies hold, nested and in every branch")
    func fields() async throws {
        let server = try await TestServer.start()
        let document = try await server.client.get("/openapi.json").json
        func properties(_ name: String) throws -> JSONValue {
            try #require(document["components"]?["schemas"]?[name]?["properties"])
        }
        let finalize = try properties("MFAEnrollmentFinalizeRequest")
        #expect(finalize["phoneVerificationInfo"]?["properties"]?["sessionInfo"]?["type"] == "string")
        #expect(finalize["totpVerificationInfo"]?["properties"]?["verificationCode"] == ["type": "string", "maxLength": 2048])
        #expect(try properties("BatchCreateRequest")["users"]?["items"]?["properties"]?["passwordHash"] != nil)
        #expect(try properties("BatchCreateRequest")["users"]?["maxItems"] == 10_000)
        #expect(try properties("BatchCreateRequest")["hashAlgorithm"] != nil)
        #expect(try properties("SignUpRequest")["tenantId"] == ["type": "string", "maxLength": 2048])
        #expect(try properties("SignUpResponse")["localId"] == ["type": "string"])
        #expect(try properties("SecureTokenForm")["grant_type"] == ["type": "string", "maxLength": 2048])
        #expect(try properties("Config")["signIn"]?["properties"]?["email"] != nil)
        #expect(try properties("Tenant")["tenantId"]?["readOnly"] == true)
        #expect(try properties("Error")["error"]?["required"] == ["code", "message", "errors"])
    }

    @Test("at the server that it is served from")
    func servers() async throws {
        try await TestServer.running(mode: .development) { server in
            let host = [("Host", "localhost:1234")]
            for path in ["/openapi.json", "/emulator/openapi.json"] {
                let servers = try #require(try await server.client.get(path, headers: host)["servers"]?.array)
                #expect(servers.first?["url"] == "{EMULATOR}")
                #expect(servers.contains { $0["url"] == "{EMULATOR}/identitytoolkit.googleapis.com" })
                #expect(servers.allSatisfy { $0["variables"]?["EMULATOR"]?["default"] == "http://localhost:1234" })
            }
        }
        let server = try await TestServer.start()
        let host = [("Host", "evil.example")]
        let answer = try await server.client.get("/openapi.json", headers: host)
        #expect(answer["servers"] == [["url": .string(server.core.settings.server.publicURL(boundTo: server.port).text)]])
        #expect(try await server.client.get("/emulator/openapi.json").status == 404)
    }
}
