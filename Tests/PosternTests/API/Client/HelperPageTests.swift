import Foundation
import Project
import TestKit
import Testing

@Suite("The pages around the web handler", .teardown, .timeLimit(.minutes(15)))
struct HelperPageTests {
    @Test("the frame may stand in pages of authorized domains only")
    func iframe() async throws {
        let server = try await FlowServer.start()
        let page = try await server.client.get("/__/auth/iframe?apiKey=test-key&appName=%5BDEFAULT%5D")
        #expect(page.status == 200 && page.header("X-Frame-Options") == nil)
        let policy = try #require(page.header("Content-Security-Policy"))
        let ancestors =
            "frame-ancestors http://localhost:* http://app.example.com:* http://*.app.example.com:*"
        #expect(policy.contains(ancestors) && policy.contains("https://apis.google.com") && !policy.contains("unsafe"))
        #expect(String(decoding: page.bytes, as: UTF8.self).contains("src=\"https://apis.google.com/js/api.js\""))
        for name in ["handler", "iframe", "experiments", "links"] {
            let script = try await server.client.get("/__/auth/\(name).js")
            #expect(script.status == 200 && script.header("Content-Type") == "text/javascript; charset=utf-8")
        }
        #expect(try await server.client.get("/__/auth/callback?link=x").status == 200)
    }

    @Test("web apps find their configuration")
    func configuration() async throws {
        let server = try await FlowServer.start()
        let json = try await server.client.get("/__/firebase/init.json", headers: [("Origin", "https://app.example.com")])
        #expect(json.json == ["apiKey": "test-key", "authDomain": .string("127.0.0.1:\(server.port)"), "projectId": "demo-test"])
        #expect(json.header("Access-Control-Allow-Origin") == "*")
        let own = try await server.client.get("/__/firebase/init.json", headers: [("Host", "app.example.com")])
        #expect(own["authDomain"] == "app.example.com")
        let foreign = try await server.client.get("/__/firebase/init.json", headers: [("Host", "evil.example")])
        #expect(foreign["authDomain"] == json["authDomain"])
        let script = try await server.client.get("/__/firebase/init.js")
        #expect(String(decoding: script.bytes, as: UTF8.self).contains("firebase.initializeApp({\"apiKey\":\"test-key\""))
    }

    @Test("development has the emulator's widget, production has not")
    func widget() async throws {
        try await TestServer.running { server async throws in
            for path in ["/emulator/auth/handler?apiKey=test-key&providerId=google.com", "/emulator/auth/iframe"] {
                #expect(try await server.client.get(path).status == 404)
            }
        }
        let server = try await TestServer.start(mode: .development)
        let empty = try await server.client.get("/emulator/auth/handler?apiKey=any")
        #expect(empty.status == 400)
        #expect(empty.json == ["authEmulator": ["error": "missing apiKey or providerId query parameters"]])
        let claims = #"{"sub":"42","email":"ada@example.com","email_verified":true,"name":"<b>Ada"}"#
        let body: JSONValue = [
            "requestUri": "http://localhost",
            "postBody": .string(TestClient.encode([("providerId", "google.com"), ("id_token", claims)])),
        ]
        #expect(try await server.client.post("/v1/accounts:signInWithIdp?key=any", body).status == 200)
        let page = try await server.client.get("/emulator/auth/handler?apiKey=any&appName=a&providerId=google.com")
        let html = String(decoding: page.bytes, as: UTF8.self)
        #expect(html.contains("<title>Auth Emulator IDP Login Widget</title>") && html.contains("&lt;b&gt;Ada"))
        let shown = try #require(html.firstMatch(of: /class="js-reuse-account" data-id-token="([^"]*)"/)?.1)
        let token = try JSONValue.parse(try #require(shown.removingPercentEncoding).utf8)
        #expect(token["sub"] == "42" && token["email"] == "ada@example.com" && token["email_verified"] == true)
        #expect(token["iss"] == "" && token["exp"] == 0)
        let frame = try await server.client.get("/emulator/auth/iframe?apiKey=any&appName=a")
        #expect(String(decoding: frame.bytes, as: UTF8.self).contains("<title>Auth Emulator Helper Iframe</title>"))
        #expect(frame.header("Content-Security-Policy")?.contains("frame-ancestors") == false)
        let tenant = try await server.client.get("/emulator/auth/handler?apiKey=any&appName=a&providerId=google.com&tid=other")
        #expect(!String(decoding: tenant.bytes, as: UTF8.self).contains("ada@example.com"))
    }
}
