import Accounts
import Foundation
import HTTPAPI
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("Administrators and their tokens", .teardown, .timeLimit(.minutes(15)))
struct AdminTokenTests {
    static func registry(_ server: TestServer) -> AdminTokenRegistry {
        AdminTokenRegistry(
            database: server.core.database,
            environment: server.core.environment,
            context: .commandLine(projectID: "demo-test", tenant: nil)
        )
    }

    private func bearer(_ token: String) -> [(String, String)] { [("Authorization", "Bearer \(token)")] }

    @Test(
        "a named token opens what its scopes say, and nothing after it is revoked or expired (TEN-04)",
        arguments: Engine.allCases
    )
    func lifecycle(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let user = try server.session(try await server.call("signUp", [:]))
        func lookup(_ token: String) async throws -> TestClient.Answer {
            let path = "/v1/projects/demo-test/accounts:lookup"
            return try await server.client.post(path, ["localId": [.string(user.localID)]], headers: bearer(token))
        }
        let (record, token) = try await Self.registry(server).create("ci", scopes: .all, days: 1)
        #expect(token.hasPrefix("postern_admin_"))
        #expect(token.count == "postern_admin_".count + 43)
        #expect(try await lookup(token)["users"]?[0]?["localId"]?.string == user.localID)
        #expect(try await Self.registry(server).list().first?.lastUsedAt == server.clock.now)
        for wrong in [token + "x", String(token.dropLast()), "postern_admin_", token.uppercased()] {
            let answer = try await lookup(wrong)
            #expect(answer.status == 401)
            #expect(answer["error"]?["errors"]?[0]?["message"] == "Invalid Credentials")
        }
        server.clock.advance(by: .seconds(86_400))
        #expect(try await lookup(token).status == 401)

        let (second, other) = try await Self.registry(server).create("second", scopes: .read, days: nil)
        #expect(try await lookup(other).status == 200)
        try await Self.registry(server).revoke(second.tokenID)
        #expect(try await lookup(other).status == 401)
        await #expect(throws: AdminTokenRegistry.RegistryError.missing(second.tokenID)) {
            try await Self.registry(server).revoke(second.tokenID)
        }
        await #expect(throws: AdminTokenRegistry.RegistryError.exists("ci")) {
            try await Self.registry(server).create("ci", scopes: .all, days: nil)
        }
        for name in ["", "a b", "../x", "ü", String(repeating: "a", count: 65)] {
            await #expect(throws: AdminTokenRegistry.RegistryError.invalidName(name)) {
                try await Self.registry(server).create(name, scopes: .all, days: nil)
            }
        }
        let rows = try await server.core.database.read { try $0.query("SELECT * FROM admin_tokens") }
        #expect(!"\(rows)".contains(token))
        #expect(record.tokenHash == sha256(token.utf8))
    }

    @Test("a token that may read neither changes anything nor acts for anybody (TEN-04)")
    func insufficient() async throws {
        let server = try await TestServer.start(project: TestServer.emailProject())
        let user = try await server.signUp("ada@example.com")
        let (_, reader) = try await Self.registry(server).create("reader", scopes: .read, days: nil)
        let (_, keeper) = try await Self.registry(server).create("keeper", scopes: .users, days: nil)
        let (_, tuner) = try await Self.registry(server).create("tuner", scopes: .config, days: nil)
        let target: JSONValue = ["localId": .string(user.localID), "email": "ada@example.com"]
        func call(_ method: String, _ token: String, _ body: JSONValue) async throws -> TestClient.Answer {
            try await server.client.post("/v1/accounts:\(method)", body, headers: bearer(token))
        }
        let lookup: JSONValue = ["localId": [.string(user.localID)]]
        for (token, status) in [(reader, 200), (keeper, 200), (tuner, 403)] {
            #expect(try await call("lookup", token, lookup).status == status)
            let settings = try await server.client.get("/v1/projects", headers: bearer(token))
            #expect(settings.status == (token == keeper ? 403 : 200))
        }
        let changes: [(String, JSONValue)] = [
            ("update", target.merging(["displayName": "x"])), ("delete", target), ("signUp", [:]),
            ("sendOobCode", ["requestType": "PASSWORD_RESET", "email": "ada@example.com", "returnOobLink": true]),
            ("signInWithPassword", ["email": "ada@example.com", "password": "secret-1"]),
        ]
        for token in [reader, tuner] {
            for (method, body) in changes {
                let answer = try await call(method, token, body)
                #expect(answer.status == 403, "\(method)")
                #expect(answer["error"]?["status"] == "PERMISSION_DENIED")
                #expect(answer.errorMessage == "INSUFFICIENT_PERMISSION : The caller does not have permission.")
                #expect(answer["error"]?["errors"]?[0]?["reason"] == "forbidden")
            }
            let legacy = try await server.client.post(
                "/identitytoolkit/v3/relyingparty/deleteAccount",
                target,
                headers: bearer(token)
            )
            #expect(legacy.status == 403)
        }
        #expect(try await call("update", keeper, target.merging(["displayName": "Ada"])).status == 200)
        // With an invalid bearer token, a valid key does not make the call a client's.
        let mixed = try await server.client.post(
            "/v1/accounts:signUp?key=\(TestServer.apiKey)",
            [:],
            headers: bearer("postern_admin_AAAA")
        )
        #expect(mixed.status == 401)
    }

    @Test("the audit trail names whoever acted")
    func actors() async throws {
        let server = try await TestServer.start()
        let user = try server.session(try await server.call("signUp", [:]))
        let (_, token) = try await Self.registry(server).create("ci", scopes: .users, days: nil)
        let change: JSONValue = ["localId": .string(user.localID), "displayName": "x"]
        for headers in [bearer(token), bearer(TestServer.adminToken)] {
            server.clock.advance(by: .seconds(1))
            let answer = try await server.client.post("/v1/accounts:update", change, headers: headers)
            #expect(answer.status == 200)
        }
        let trail = try await server.core.useCases.operators.auditTrail.events(
            AuditFilter(localID: user.localID, limit: 10),
            in: Scope(projectID: "demo-test")
        ).events
        #expect(trail.map(\.actor) == ["admin.token", "admin-token:ci", "user"])
        #expect(trail.map(\.event) == ["update", "update", "signUp"])
    }

    @Test("owner is an administrator on the private listener only, and pages of the web get nowhere there (EMU-02, EMU-03)")
    func privateListener() async throws {
        let variables = [
            "POSTERN_SERVER_ADMIN_HOST": "127.0.0.1", "POSTERN_SERVER_ADMIN_PORT": "0",
            "POSTERN_SERVER_PUBLIC_URL": "https://auth.example.com",
        ]
        let server = try await TestServer.start(environment: variables)
        let inside = try #require(server.privateClient)
        let path = "/identitytoolkit.googleapis.com/v1/projects/demo-test/accounts:lookup"
        let body: JSONValue = ["localId": ["x"]]
        for word in ["owner", "OWNER"] {
            #expect(try await inside.post(path, body, headers: bearer(word)).status == 200)
            let outside = try await server.client.post(path, body, headers: bearer(word))
            #expect(outside.status == 401)
            #expect(outside["error"]?["errors"]?[0]?["message"] == "Invalid Credentials")
        }
        // A token that looks like Google's is valid for no listener.
        for client in [inside, server.client] {
            #expect(try await client.post(path, body, headers: bearer("ya29.abc")).status == 401)
            #expect(try await client.post(path, body).status == 401)
        }
        let other = "/identitytoolkit.googleapis.com/v1/projects/other/accounts:lookup"
        #expect(try await inside.post(other, body, headers: bearer("owner")).errorMessage == "PROJECT_NOT_FOUND")
        // The warning appears once. An SDK in emulator mode may accept forged tokens.
        let warnings = server.log.lines.filter { $0.contains("came as owner") }
        #expect(warnings.count == 1 && warnings.first?.hasPrefix("warning ") == true)
        for origin in ["https://evil.example", "null", "http://localhost:3000"] {
            let headers = bearer("owner") + [("Origin", origin)]
            let answer = try await inside.post(path, body, headers: headers)
            #expect(answer.status == 403)
            #expect(answer.header("Access-Control-Allow-Origin") == nil)
            #expect(try await inside.send("OPTIONS", path, headers: [("Origin", origin)]).status == 403)
        }
        // A foreign name that resolves to this machine, and names that no foreign host can have.
        for (host, status) in [
            ("rebind.evil.example", 403), ("rebind.evil.example:80", 403), ("127.0.0.1.evil.example", 403),
            ("localhost.evil.example", 403), ("evil.localhost.", 400), ("127.0.0.1:9", 200), ("[::1]:9", 200),
            ("LOCALHOST", 200), ("postern-admin:8081", 401), ("admin.postern.svc", 401), ("evil.local", 401),
            ("postern.internal", 401), ("AUTH.example.com", 401), ("_under.example.com", 403),
        ] {
            // A page that rebinds its name sends a GET to its own origin without Origin and Sec-Fetch-Site.
            for (token, expected) in [("owner", status), (TestServer.adminToken, status == 401 ? 200 : status)] {
                let headers = bearer(token) + [("Host", host), ("Content-Type", "application/json")]
                let answer = try await inside.send("POST", path, headers: headers, body: body.serialized())
                #expect(answer.status == expected, "\(token) \(host): \(answer.json)")
                let list = "/v1/projects/demo-test/accounts:batchGet"
                let read = try await inside.send("GET", list, headers: headers)
                #expect(read.status == expected, "\(token) \(host): \(read.json)")
            }
        }
        let user = try server.session(try await server.call("signUp", [:]))
        let change: JSONValue = ["localId": .string(user.localID), "displayName": "x"]
        #expect(try await inside.post("/v1/accounts:update", change, headers: bearer("owner")).status == 200)
        let trail = try await server.core.useCases.operators.auditTrail.events(
            AuditFilter(localID: user.localID, event: "update", limit: 1),
            in: Scope(projectID: "demo-test")
        ).events
        #expect(trail.first?.actor == "owner")
    }
}
