import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("Every failure is Firebase's error envelope", .teardown, .timeLimit(.minutes(15)))
struct EnvelopeTests {
    private func expectEnvelope(
        _ answer: TestClient.Answer,
        _ status: Int,
        _ name: String?,
        message: String,
        reason: String,
        location: SourceLocation = #_sourceLocation
    ) {
        #expect(answer.status == status, sourceLocation: location)
        #expect(answer.header("Content-Type") == "application/json; charset=utf-8", sourceLocation: location)
        #expect(answer["error"]?["code"]?.integer == Int64(status), sourceLocation: location)
        #expect(answer["error"]?["status"]?.string == name, sourceLocation: location)
        #expect(answer.errorMessage?.hasPrefix(message) == true, "\(answer.errorMessage ?? "")", sourceLocation: location)
        let entry = answer["error"]?["errors"]?[0]
        #expect(entry?["reason"]?.string == reason, sourceLocation: location)
        #expect(entry?["domain"] == "global", sourceLocation: location)
        #expect(entry?.object?.values.allSatisfy { $0.string != nil } == true, sourceLocation: location)
        #expect(answer.header("Access-Control-Allow-Origin") == "https://app.example", sourceLocation: location)
        #expect(answer.header("X-Request-Id") != nil, sourceLocation: location)
    }

    private let origin = ("Origin", "https://app.example")
    private let json = ("Content-Type", "application/json")

    @Test("for credentials of the call")
    func credentials() async throws {
        let server = try await TestServer.start()
        func post(_ path: String, _ headers: (String, String)...) async throws -> TestClient.Answer {
            try await server.client.send("POST", path, headers: [origin, json] + headers, body: Data("{}".utf8))
        }
        let denied = "The request is missing a valid API key."
        for path in ["/v1/accounts:signUp", "/v1/accounts:signUp?key=", "/v1/token"] {
            expectEnvelope(try await post(path), 403, "PERMISSION_DENIED", message: denied, reason: "forbidden")
        }
        let invalid = "API key not valid. Please pass a valid API key."
        for (path, header) in [("?key=wrong", "x"), ("?key=\(TestServer.apiKey)x", "x"), ("", "wrong")] {
            let answer = try await post("/v1/accounts:signUp\(path)", ("x-goog-api-key", header))
            expectEnvelope(answer, 400, "INVALID_ARGUMENT", message: invalid, reason: "keyInvalid")
        }
        #expect(try await post("/v1/accounts:signUp", ("x-goog-api-key", TestServer.apiKey)).status == 200)
        #expect(try await post("/v1/accounts:signUp?key=\(TestServer.apiKey)", ("Authorization", "Basic eDp5")).status == 200)

        for token in ["Bearer owner", "bearer wrong", "Bearer", "Bearer ya29.x", "Bearer \(TestServer.adminToken)x"] {
            let answer = try await post("/v1/accounts:signUp?key=\(TestServer.apiKey)", ("Authorization", token))
            expectEnvelope(answer, 401, "UNAUTHENTICATED", message: "Request had invalid", reason: "authError")
            #expect(answer["error"]?["errors"]?[0]?["message"] == "Invalid Credentials")
            #expect(answer["error"]?["errors"]?[0]?["location"] == "Authorization")
        }
        let admin = try await post("/v1/projects/demo-test/accounts:lookup?key=\(TestServer.apiKey)")
        expectEnvelope(admin, 401, "UNAUTHENTICATED", message: "Request had invalid", reason: "required")
        let bearer = ("Authorization", "Bearer \(TestServer.adminToken)")
        expectEnvelope(
            try await post("/v1/projects/another/accounts:lookup", bearer),
            400,
            nil,
            message: "PROJECT_NOT_FOUND",
            reason: "invalid"
        )
        #expect(try await post("/v1/projects/demo-test/accounts:lookup", bearer).status == 200)
        let target = try await server.client.post(
            "/v1/accounts:signUp?key=\(TestServer.apiKey)",
            ["targetProjectId": "demo-test"],
            headers: [origin]
        )
        let message = "INSUFFICIENT_PERMISSION : Only authenticated requests can specify target_project_id."
        expectEnvelope(target, 400, nil, message: message, reason: "invalid")
    }

    @Test("for paths and methods")
    func paths() async throws {
        let server = try await TestServer.start()
        for path in ["/nope", "/v1/accounts:nope", "/v1/accounts:signUp%20", "/v1/accounts%2FsignUp", "/v3/token", "/"] {
            let answer = try await server.client.get(path, headers: [origin])
            expectEnvelope(answer, 404, "NOT_FOUND", message: "Not Found", reason: "notFound")
        }
        for (method, path, allowed) in [
            ("GET", "/v1/accounts:signUp", "POST"), ("DELETE", "/v1/token", "POST"), ("PUT", "/healthz", "GET, HEAD"),
        ] {
            let answer = try await server.client.send(method, path, headers: [origin])
            expectEnvelope(answer, 405, "INVALID_ARGUMENT", message: "Method Not Allowed", reason: "httpMethodNotAllowed")
            #expect(answer.header("Allow") == allowed)
        }
    }

    @Test("for bodies that are malformed, too large, or of the wrong shape")
    func bodies() async throws {
        let server = try await TestServer.start(environment: ["POSTERN_SERVER_MAX_BODY_BYTES": "65536"])
        func post(_ body: Data, _ method: String = "signInWithIdp") async throws -> TestClient.Answer {
            let path = "/v1/accounts:\(method)?key=\(TestServer.apiKey)"
            return try await server.client.send("POST", path, headers: [origin, json], body: body)
        }
        let invalid = "Invalid JSON payload received. "
        let deep = String(repeating: "[", count: 10_000)
        for body in ["{", "x", "{\"a\":}", deep, "{\"a\":1e400}", #"{"a":"\ud8"}"#, "{'a':1}", #"{"a":1,}"#, #"{"a":1,"a":1}"#] {
            let answer = try await post(Data(body.utf8))
            expectEnvelope(answer, 400, "INVALID_ARGUMENT", message: invalid, reason: "parseError")
        }
        expectEnvelope(try await post(Data([0x7b, 0xff])), 400, "INVALID_ARGUMENT", message: invalid, reason: "parseError")
        let shapes: [(String, String, String)] = [
            ("signInWithIdp", "[]", "/ must be object"), ("signInWithIdp", "7", "/ must be object"),
            ("signInWithIdp", #"{"postBody":{}}"#, "/postBody must be string"),
            ("signInWithIdp", #"{"autoCreate":"maybe"}"#, "/autoCreate must be boolean"),
            ("update", #"{"deleteProvider":{}}"#, "/deleteProvider/0 must be string"),
            ("update", #"{"deleteProvider":[{}]}"#, "/deleteProvider/0 must be string"),
            ("update", #"{"validSince":[]}"#, "/validSince must be integer"),
            ("update", #"{"mfa":{"enrollments":"x"}}"#, "/mfa/enrollments/0 must be object"),
            ("update", #"{"emailVerified":"zz"}"#, "/emailVerified must be boolean"),
            ("signInWithIdp", #"{"sessionId":{},"targetProjectId":"x"}"#, "/sessionId must be string"),
            ("update", "{\"displayName\":\"\(String(repeating: "é", count: 257))\"}", "/displayName must not have more than 256"),
            ("lookup", #"{"localId":[[]]}"#, "/localId/0 must be string"),
            ("signUp", #"{"tenantId":{}}"#, "/tenantId must be string"),
        ]
        for (method, body, problem) in shapes {
            let answer = try await post(Data(body.utf8), method)
            expectEnvelope(answer, 400, "INVALID_ARGUMENT", message: invalid + problem, reason: "invalid")
        }
        let large = try await post(Data(repeating: UInt8(ascii: " "), count: 70_000))
        expectEnvelope(large, 413, "INVALID_ARGUMENT", message: "Request payload is too large.", reason: "uploadTooLarge")
        #expect(try await post(Data(), "signUp").status == 200)
        #expect(try await post(Data(#"{"returnSecureToken":null,"unknown":{"x":[1]}}"#.utf8), "signUp").status == 200)
    }

    @Test("for whatever a client makes up, and the server goes on serving", .timeLimit(.minutes(15)))
    func hostile() async throws {
        let server = try await TestServer.start()
        let values: [JSONValue] = [
            .null, true, -1, .integer(.max), .integer(.min), 1.5, "", "\u{0}", "💥", "e30.e30.", [], [[]], [:], ["a": [:]],
            .string(String(repeating: "x", count: 50_000)),
        ]
        let names = [
            "idToken", "localId", "requestUri", "postBody", "pendingToken", "tenantId", "refreshToken", "grantType", "email",
            "validSince", "deleteAttribute", "deleteProvider", "displayName", "customAttributes", "federatedUserId",
        ]
        for method in ["signUp", "signInWithIdp", "lookup", "update", "delete"] {
            for name in names {
                for value in values {
                    for answer in [
                        try await server.call(method, [name: value]), try await server.callAsAdmin(method, [name: value]),
                    ] {
                        let isRefusal = [400, 501].contains(answer.status) && answer.errorMessage != nil
                        #expect(answer.status == 200 || isRefusal)
                    }
                }
            }
        }
        #expect(try await server.client.get("/readyz").status == 200)
    }

    @Test("and answers carry the headers that browsers and caches need")
    func headers() async throws {
        let server = try await TestServer.start()
        let requested = "content-type,x-client-version,x-firebase-gmpid"
        let preflight = try await server.client.send(
            "OPTIONS",
            "/v1/accounts:signUp",
            headers: [
                origin, ("Access-Control-Request-Method", "POST"), ("Access-Control-Request-Headers", requested),
                ("Access-Control-Request-Private-Network", "true"),
            ]
        )
        #expect(preflight.status == 204)
        #expect(preflight.bytes.isEmpty)
        #expect(preflight.header("Access-Control-Allow-Origin") == "https://app.example")
        #expect(preflight.header("Access-Control-Allow-Headers") == requested)
        #expect(preflight.header("Access-Control-Allow-Methods") == "GET,HEAD,PUT,PATCH,POST,DELETE")
        #expect(preflight.header("Access-Control-Allow-Private-Network") == "true")
        #expect(preflight.header("Access-Control-Allow-Credentials") == nil)
        let answer = try await server.call("signUp", [:])
        #expect(answer.header("Cache-Control")?.contains("no-store") == true)
        #expect(answer.header("Postern-Mode") == nil)
        let head = try await server.client.send("HEAD", "/healthz")
        #expect(head.status == 200)
        #expect(head.bytes.isEmpty)
    }

    @Test("also when the store is closed: 503, and not ready")
    func closedStore() async throws {
        let server = try await TestServer.start()
        try await server.core.database.close()
        let answer = try await server.client.post("/v1/accounts:signUp?key=\(TestServer.apiKey)", [:], headers: [origin])
        expectEnvelope(answer, 503, "UNAVAILABLE", message: "The service is", reason: "backendError")
        #expect(answer.header("Retry-After") == "1")
        #expect(try await server.client.get("/readyz").status == 503)
        #expect(try await server.client.get("/healthz").status == 200)
    }
}
