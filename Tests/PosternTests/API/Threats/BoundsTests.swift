import Foundation
import Project
import Settings
import TestKit
import Testing

@testable import Server
@testable import Storage

@Suite("What the API's description bounds is refused beyond the bound", .teardown, .timeLimit(.minutes(15)))
struct BoundsTests {
    // A text that would be found wherever it is stored.
    private static let mark = "Zq9xJ7"

    @Test("in every field, and nothing of it is stored", arguments: Engine.allCases)
    func everyField(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let project = server.core.settings.project.id
        let document = try await server.client.get("/openapi.json").json
        let session = try server.session(try await server.call("signUp", [:]))
        var tried = 0
        for place in RequestPlace.distinct(in: document) where !place.isReadOnly {
            guard let value = Self.excess(place.schema) else { continue }
            tried += 1
            let path = place.path(of: project) + "?key=\(TestServer.apiKey)"
            for isAdministrator in place.siblings.contains("idToken") ? [true, false] : [true] {
                let bearer = isAdministrator ? [("Authorization", "Bearer \(TestServer.adminToken)")] : []
                let query = try place.query.map { "&" + TestClient.encode([($0, try #require(value.string))]) } ?? ""
                let idToken: JSONValue = isAdministrator ? [:] : session.token
                let body = place.siblings.contains("idToken") ? idToken.merging(place.body(value)) : place.body(value)
                let answer = try await server.client.send(
                    place.method,
                    path + query,
                    headers: bearer + [("Content-Type", "application/json")],
                    body: place.method == "GET" ? nil : body.serialized()
                )
                // An import reports the rows that it leaves out.
                let isRefused = (400..<500).contains(answer.status) || answer.json["error"]?[0] != nil
                #expect(isRefused, "\(place.method) \(path) \(place.pointer) \(place.query ?? "")")
            }
        }
        #expect(tried > 100)
        #expect(try await Self.tables(holding: Self.mark, in: server) == [])
    }

    @Test("in every list, a long one with a clear error", arguments: ["deletePasskey", "deleteProvider", "customParameter"])
    func lists(name: String) async throws {
        let server = try await TestServer.start()
        let session = try server.session(try await server.call("signUp", [:]))
        if name == "customParameter" {
            let names = (0..<900).map { ("p\($0)", JSONValue.string("x")) }
            let body: JSONValue = [
                "providerId": "google.com", "continueUri": "http://localhost",
                "customParameter": .object(JSONObject(naming: names)),
            ]
            let answer = try await server.call("createAuthUri", body)
            #expect(answer.errorMessage?.hasSuffix("/customParameter must not have more than 100 members") == true)
        } else {
            let list = JSONValue.array((0..<5_000).map { .string("x\($0)") })
            let answer = try await server.call("update", ["idToken": .string(session.idToken), .init(stringLiteral: name): list])
            #expect(answer.errorMessage?.hasSuffix("/\(name) must not have more than 100 elements") == true)
        }
    }

    /// A value at ten times the bound; `nil` when the schema has none.
    private static func excess(_ schema: JSONValue) -> JSONValue? {
        if let most = schema["maxLength"]?.integer {
            return .string(String(repeating: mark, count: Int(most) * 10 / mark.count + 1))
        }
        guard let most = schema["maxItems"]?.integer else { return nil }
        let isText = schema["items"]?["type"] == "string"
        return .array(Array(repeating: isText ? .string(mark) : [:], count: Int(most) * 10))
    }

    private static func tables(holding text: String, in server: TestServer) async throws -> [String] {
        try await server.core.database.read { transaction in
            try StoreTable.all.filter { table in
                try table.page(after: nil, limit: 10_000, in: transaction).contains { "\($0)".contains(text) }
            }.map(\.name)
        }
    }
}

@Suite("What one account leaves in the store is bounded", .teardown, .timeLimit(.minutes(15)))
struct AccountGrowthTests {
    @Test("its changes in an hour", arguments: Engine.allCases)
    func changes(engine: Engine) async throws {
        let server = try await TestServer.start(environment: ["POSTERN_LIMITS_ACCOUNT_CHANGES_PER_HOUR": "3"], on: engine)
        let session = try server.session(try await server.call("signUp", [:]))
        func rename(_ name: String, _ token: String) async throws -> TestClient.Answer {
            try await server.call("update", ["idToken": .string(token), "displayName": .string(name)])
        }
        for name in ["a", "b", "c"] {
            server.clock.advance(by: .seconds(1))
            #expect(try await rename(name, session.idToken).status == 200)
        }
        let refused = try await rename("d", session.idToken)
        #expect(refused.status == 400)
        #expect(refused.errorMessage?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") == true)
        let other = try server.session(try await server.call("signUp", [:]))
        #expect(try await rename("a", other.idToken).status == 200)
        #expect(try await server.callAsAdmin("update", ["localId": .string(session.localID), "displayName": "e"]).status == 200)
        // Two users rename themselves four times and get one row each, because repetitions count on the first.
        let rows = try await server.core.database.read { transaction in
            try transaction.query("SELECT repeats FROM audit_events WHERE event = 'update' AND actor = 'user' ORDER BY repeats")
                .map { try $0.integer("repeats") }
        }
        #expect(rows == [0, 2])
    }

    @Test("the client's name in its sessions and a provider's id in the audit trail, in bytes")
    func texts() async throws {
        let server = try await TestServer.start()
        // One visible character of any length, with marks that have no order.
        let agent = "Agent " + String(repeating: "\u{1F468}\u{200D}", count: 2000)
        let headers = [("User-Agent", agent), ("Content-Type", "application/json")]
        let path = "/v1/accounts:signUp?key=\(TestServer.apiKey)"
        let answer = try await server.client.send("POST", path, headers: headers, body: Data("{}".utf8))
        #expect(answer.status == 200)
        let provider = "x" + String(repeating: "\u{1F468}\u{200D}", count: 1500)
        let form = TestClient.encode([("providerId", provider), ("id_token", "e30.e30.")])
        _ = try await server.call("signInWithIdp", ["requestUri": "http://localhost", "postBody": .string(form)])
        await server.recordRefusals()
        let (agents, details) = try await server.core.database.read { transaction in
            (
                try transaction.query("SELECT user_agent FROM sessions").map { try $0.text("user_agent").utf8.count },
                try transaction.query("SELECT detail FROM audit_events WHERE event = 'refused'").map {
                    try $0.text("detail").utf8.count
                }
            )
        }
        #expect(agents.allSatisfy { $0 <= 256 } && !agents.isEmpty)
        #expect(details.allSatisfy { $0 <= 256 } && !details.isEmpty)
    }
}
