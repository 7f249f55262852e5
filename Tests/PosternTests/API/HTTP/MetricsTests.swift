import Accounts
import Foundation
import Project
import TestKit
import Testing

@testable import Server

@Suite("Metrics", .teardown, .timeLimit(.minutes(15)))
struct MetricsTests {
    private func text(_ answer: TestClient.Answer) -> String { String(decoding: answer.bytes, as: UTF8.self) }

    @Test("are shown to administrators who may read, and count what happens without a client's words")
    func page() async throws {
        let server = try await TestServer.start()
        #expect(try await server.client.get("/metrics").status == 401)
        #expect(try await server.client.get("/metrics?key=\(TestServer.apiKey)").status == 401)
        let registry = AdminTokenRegistry(
            database: server.core.database,
            environment: server.core.environment,
            projectID: "demo-test",
            actor: "test"
        )
        for (scopes, status) in [(AdminScopes.read, 200), (.users, 403)] {
            let (_, token) = try await registry.create("t\(status)", scopes: scopes, days: nil)
            let headers = [("Authorization", "Bearer \(token)")]
            #expect(try await server.client.get("/metrics", headers: headers).status == status)
        }
        _ = try await server.call("signUp", [:])
        _ = try await server.signIn("oidc.test", try server.oidcToken())
        _ = try await server.call("lookup", ["idToken": "made-up-secret"])
        _ = try await server.client.send("BREW", "/coffee/made-up-path")
        _ = try await server.client.post("/v1/projects/made-up-project/accounts:lookup", [:])
        let answer = try await server.client.get("/metrics", headers: [("Authorization", "Bearer \(TestServer.adminToken)")])
        #expect(answer.status == 200)
        #expect(answer.header("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
        let page = text(answer)
        let signUp =
            #"http_request_method="POST",http_route="/v1/accounts:signUp",http_response_status_code="200""#
        for line in [
            "# TYPE http_server_request_duration_seconds histogram",
            "http_server_request_duration_seconds_count{\(signUp)} 1",
            #"http_server_request_duration_seconds_bucket{\#(signUp),le="+Inf"} 1"#,
            "postern_sessions_begun_total 2", #"postern_key_set_lookups_total{outcome="miss"} 1"#,
            #"postern_database_connections{kind="write"} 1"#, #"postern_database_connections_in_use{kind="read"} 0"#,
            "postern_database_commit_writes_count ", "postern_signing_key_rotation_timestamp_seconds ",
            "process_cpu_seconds_total ", "process_open_fds ", "process_start_time_seconds ",
            #"postern_refusals_total{code="INVALID_ID_TOKEN"} 1"#,
            #"postern_sign_ins_total{provider="anonymous"} 1"#, #"postern_sign_ins_total{provider="oidc.test"} 1"#,
            #"postern_key_set_fetches_total{outcome="fetched"} 1"#, "http_server_active_requests 1",
            "postern_password_hashes_running 0", "postern_password_hashes_waiting 0",
            #"postern_outbox_waiting{outbox="email"} 0"#,
            #"postern_outbox_waiting{outbox="sms"} 0"#, #"postern_outbox_waiting{outbox="webhook"} 0"#,
            "postern_database_waiting 0", "process_resident_memory_bytes",
        ] {
            #expect(page.contains(line), "\(line)")
        }
        #expect(!page.contains("made-up"))
        #expect(!page.contains("BREW"))
    }

    @Test("stay below 500 series whatever strangers send, and what came first stays told apart")
    func series() async throws {
        let server = try await TestServer.start()
        _ = try await server.call("signUp", [:])
        let headers = [("Authorization", "Bearer \(TestServer.adminToken)")]
        func page() async throws -> [Substring] {
            text(try await server.client.get("/metrics", headers: headers)).split(separator: "\n").filter {
                !$0.hasPrefix("#")
            }
        }
        _ = try await page()
        let names = [
            "signUp", "signInWithPassword", "lookup", "update", "delete", "sendOobCode", "resetPassword", "createAuthUri",
            "signInWithIdp", "signInWithCustomToken", "signInWithEmailLink", "signInWithPhoneNumber", "sendVerificationCode",
            "signInWithGameCenter", "revokeToken", "batchGet", "query",
        ]
        let prefixes = ["/v1/accounts:", "/identitytoolkit.googleapis.com/v1/accounts:", "/v1/projects/x/accounts:"]
        var paths = ["/healthz", "/readyz", "/v1/token", "/openapi.json", "/nothing", "/.well-known/jwks.json", "/v1/projects"]
        for prefix in prefixes { paths += names.map { prefix + $0 } }
        for path in paths {
            for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"] {
                for query in ["", "?key=\(TestServer.apiKey)", "?key=x"] {
                    _ = try await server.client.send(method, path + query)
                }
            }
        }
        let lines = try await page()
        #expect(lines.count < 500, "\(lines.count)")
        let signUp = #"http_request_method="POST",http_route="/v1/accounts:signUp",http_response_status_code="200""#
        #expect(lines.contains { $0.hasPrefix("http_server_request_duration_seconds_count{\(signUp)} ") })
        let other = #"http_request_method="_OTHER",http_route="-",http_response_status_code="4xx""#
        #expect(lines.contains { $0.hasPrefix("http_server_request_duration_seconds_count{\(other)} ") })
        // What a monitor needs most has its place, too.
        for name in ["process_resident_memory_bytes", "postern_database_waiting", "postern_refusals_total{"] {
            #expect(lines.contains { $0.hasPrefix(name) }, "\(name)")
        }
    }

    @Test("leave places to sign-ins, whatever strangers read after a start")
    func openReadings() async throws {
        let server = try await TestServer.start(project: TestServer.emailProject())
        let paths = [
            "/healthz", "/readyz", "/openapi.json", "/.well-known/jwks.json", "/.well-known/openid-configuration",
            "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com", "/oauth2/v1/certs", "/oauth2/v3/certs",
            "/robot/v1/metadata/jwk/securetoken@system.gserviceaccount.com", "/__/auth/handler.js", "/__/auth/iframe",
            "/v1/projects?key=\(TestServer.apiKey)", "/v1/recaptchaParams?key=\(TestServer.apiKey)", "/__/auth/handler",
            "/__/firebase/init.json",
        ]
        for path in paths {
            for method in ["GET", "HEAD", "OPTIONS"] { _ = try await server.client.send(method, path) }
        }
        _ = try await server.signUp("ada@example.com")
        for _ in 0..<2 { _ = try await server.signIn("ada@example.com") }
        let headers = [("Authorization", "Bearer \(TestServer.adminToken)")]
        let list = "/v1/projects/demo-test/accounts:batchGet"
        #expect(try await server.client.get(list, headers: headers).status == 200)
        let page = text(try await server.client.get("/metrics", headers: headers))
        let series = page.split(separator: "\n").filter { $0.hasPrefix("http_server_request_duration_seconds_count{") }
        for method in ["signUp", "signInWithPassword"] {
            #expect(series.contains { $0.contains(#"method="POST",http_route="/v1/accounts:\#(method)""#) }, "\(method)")
        }
        #expect(series.contains { $0.contains("accounts:batchGet") })
        let read = series.filter { line in
            ["GET", "HEAD", "OPTIONS"].contains { line.contains(#"method="\#($0)""#) } && line.contains(#"code="2"#)
                && !line.contains("batchGet")
        }
        #expect(read.count == 6, "\(read)")
    }

    @Test("count sessions that end, each once and when it ends", arguments: Engine.allCases)
    func endedSessions(engine: Engine) async throws {
        let environment = ["POSTERN_LIMITS_SESSIONS_PER_USER": "2"]
        let server = try await TestServer.start(environment: environment, project: TestServer.emailProject(), on: engine)
        func ended() async throws -> String {
            let headers = [("Authorization", "Bearer \(TestServer.adminToken)")]
            let page = text(try await server.client.get("/metrics", headers: headers))
            return page.firstMatch(of: /\npostern_sessions_ended_total ([0-9]+)/).map { String($0.1) } ?? "none"
        }
        let user = try await server.signUp("ada@example.com")
        _ = try await server.signUp("bob@example.com")
        #expect(try await server.signIn("ada@example.com").status == 200)
        #expect(try await ended() == "0")
        // The third session of one user ends the first.
        server.clock.advance(by: .seconds(1))
        #expect(try await server.signIn("ada@example.com").status == 200)
        #expect(try await ended() == "1")
        #expect(try await server.signIn("ada@example.com", password: "wrong").status == 400)
        #expect(try await ended() == "1")
        for _ in 0..<2 {
            _ = try await server.callAsAdmin("update", ["localId": .string(user.localID), "disableUser": true])
            #expect(try await ended() == "3")
        }
        // A change that is refused ends none.
        #expect(try await server.call("update", ["idToken": .string(user.idToken), "password": "other-secret"]).status == 400)
        #expect(try await ended() == "3")
    }

    @Test("are open on the private listener and nowhere else when there is one, and gone when switched off")
    func listeners() async throws {
        let admin = TestServer.privateListener
        let bearer = [("Authorization", "Bearer \(TestServer.adminToken)")]
        try await TestServer.running(environment: admin) { server in
            let inside = try #require(server.privateClient)
            #expect(try await inside.get("/metrics").status == 200)
            #expect(try await inside.get("/metrics", headers: [("Origin", "https://evil.example")]).status == 403)
            #expect(try await server.client.get("/metrics", headers: bearer).status == 404)
        }
        let server = try await TestServer.start(environment: admin.merging(["POSTERN_METRICS_ENABLED": "false"]) { $1 })
        let inside = try #require(server.privateClient)
        #expect(try await inside.get("/metrics", headers: bearer).status == 404)
        #expect(try await server.client.get("/metrics", headers: bearer).status == 404)
    }
}
