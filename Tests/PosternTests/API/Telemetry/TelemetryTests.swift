import Foundation
import Project
import TestKit
import Testing

@testable import Server

/// What a server sends to a collector, a real one on loopback; `Tests/Python/otlp.py` reads it by the protocol's own definitions.
@Suite("Telemetry", .teardown, .timeLimit(.minutes(15)))
struct TelemetryTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"

    /// A server and its collector.
    private struct Watched {
        let server: TestServer
        let collector: LoopbackService

        /// Every entry that the collector was sent so far.
        func entries(_ signal: String) async throws -> [JSONValue] {
            let bodies = collector.calls.filter { $0.path == "/v1/\(signal)" }.map(\.body)
            return try await withTemporaryDirectory { directory in
                var entries: [JSONValue] = []
                for (number, body) in bodies.enumerated() {
                    let file = "\(directory)/\(number).json"
                    try Data(body).write(to: URL(filePath: file))
                    let (code, text) = try await RepositoryProgram.run(
                        try PythonTools.program("python"),
                        [PythonTools.source("otlp.py"), signal, file]
                    )
                    try #require(code == 0, "\(text)\n\(String(decoding: body, as: UTF8.self))")
                    entries += try text.split(separator: "\n").map { try JSONValue.parse($0.utf8) }
                }
                return entries
            }
        }

        /// Waits until a body has a text.
        func wait(for text: String, in signal: String) async throws {
            try await eventually {
                collector.calls.contains { $0.path == "/v1/\(signal)" && String(decoding: $0.body, as: UTF8.self).contains(text) }
            }
        }
    }

    private func startWatched(
        _ environment: [String: String] = [:],
        project: ((FakeIDP) -> String)? = nil
    ) async throws -> Watched {
        let collector = try await LoopbackService.start()
        let usual = [
            "POSTERN_TELEMETRY_ENDPOINT": collector.origin, "POSTERN_TELEMETRY_TRACES_SAMPLE_RATIO": "1",
            "POSTERN_TELEMETRY_METRICS_INTERVAL_SECONDS": "1", "OTEL_BSP_SCHEDULE_DELAY": "20",
            "OTEL_BLRP_SCHEDULE_DELAY": "20", "POSTERN_TELEMETRY_TIMEOUT_SECONDS": "120", "OTEL_SERVICE_NAME": "auth",
        ]
        let server = try await TestServer.start(environment: usual.merging(environment) { $1 }, project: project)
        return Watched(server: server, collector: collector)
    }

    private func traceparent(sampled: Bool) -> [(String, String)] {
        [("traceparent", "00-\(Self.trace)-b7ad6b7169203331-0\(sampled ? 1 : 0)")]
    }

    private func named(_ name: String, _ spans: [JSONValue]) throws -> JSONValue {
        try #require(spans.first { $0["name"]?.string == name }, "\(name) is missing")
    }

    @Test("a sign-in has a span for each room, below the one of the request")
    func rooms() async throws {
        let watched = try await startWatched()
        let token = try watched.server.oidcToken()
        #expect(try await watched.server.signIn("oidc.test", token).status == 200)
        try await watched.wait(for: "POST /v1/accounts:signInWithIdp", in: "traces")
        let spans = try await watched.entries("traces")
        let request = try named("POST /v1/accounts:signInWithIdp", spans)
        #expect(request["kind"] == 2)
        #expect(request["parent"] == "")
        #expect(request["service"] == "auth")
        let attributes = request["attributes"]
        #expect(attributes?["http.route"] == "/v1/accounts:signInWithIdp")
        #expect(attributes?["http.request.method"] == "POST")
        #expect(attributes?["http.response.status_code"] == 200)
        for (child, parent) in [
            ("request.decode", "POST /v1/accounts:signInWithIdp"), ("credential.verify", "POST /v1/accounts:signInWithIdp"),
            ("keys.fetch", "credential.verify"), ("GET", "keys.fetch"),
            ("database.write", "POST /v1/accounts:signInWithIdp"), ("database.wait", "database.write"),
            ("database.commit", "database.write"), ("token.sign", "POST /v1/accounts:signInWithIdp"),
        ] {
            let above = Set(spans.filter { $0["name"]?.string == parent }.compactMap { $0["id"]?.string })
            let found = spans.contains {
                $0["name"]?.string == child && $0["trace"] == request["trace"] && above.contains($0["parent"]?.string ?? "")
            }
            #expect(found, "\(child) below \(parent)")
        }
        #expect(try named("credential.verify", spans)["attributes"] == ["postern.provider": "oidc.test"])
        let call = try named("GET", spans)
        #expect(call["kind"] == 3)
        #expect(call["attributes"]?["server.address"] == "127.0.0.1")
        #expect(call["attributes"]?["http.response.status_code"] == 200)
    }

    @Test("a delivery is a trace of its own, with the call that it makes, and a failed one says so")
    func deliveries() async throws {
        let hook = try await LoopbackService.start()
        hook.answer { _ in (hook.calls.count == 1 ? 503 : 200, [:]) }
        let variables = ["POSTERN_WEBHOOKS_URL": hook.origin + "/events", "POSTERN_WEBHOOKS_SECRET": "a secret"]
        let watched = try await startWatched(variables)
        let answer = try await watched.server.client.post(
            "/v1/accounts:signUp?key=\(TestServer.apiKey)",
            [:],
            headers: traceparent(sampled: true)
        )
        #expect(answer.status == 200)
        // A sign-up is two events, of which one is refused at first.
        _ = await hook.call(2)
        try await watched.wait(for: "postponed", in: "traces")
        watched.server.clock.advance(by: .seconds(600))
        _ = await hook.call(3)
        let spans = try await eventually {
            let spans = try await watched.entries("traces")
            return spans.count { $0["name"] == "outbox.deliver" } == 3 ? spans : nil
        }
        let deliveries = spans.filter { $0["name"] == "outbox.deliver" }
        let facts = deliveries.map { delivery -> String in
            let attributes = delivery["attributes"]
            let (outcome, attempt) = (attributes?["postern.outbox.outcome"], attributes?["postern.outbox.attempt"])
            return "\(outcome?.string ?? "") \(attempt?.integer ?? 0) \(attributes?["error.type"]?.string ?? "")"
        }
        #expect(facts.sorted() == ["postponed 1 postponed", "sent 1 ", "sent 2 "])
        let passed = Set(hook.calls.compactMap { $0.headers["traceparent"] })
        for delivery in deliveries {
            #expect(delivery["parent"] == "" && delivery["kind"] == 5 && delivery["trace"]?.string != Self.trace)
            #expect(delivery["attributes"]?["postern.outbox"] == "webhook")
            let post = try #require(spans.first { $0["name"] == "POST" && $0["parent"] == delivery["id"] })
            #expect(post["trace"] == delivery["trace"])
            #expect(passed.contains("00-\(delivery["trace"]?.string ?? "")-\(post["id"]?.string ?? "")-01"))
        }
        #expect(Set(deliveries.compactMap { $0["trace"]?.string }).count == 3)
    }

    @Test("hashes and blocking functions have spans, and a refusal has its code")
    func passwordsAndHooks() async throws {
        let watched = try await startWatched(project: TestServer.emailProject())
        watched.collector.answer { _ in (200, [:]) }
        let hook: JSONValue = [
            "blockingFunctions": ["triggers": ["beforeCreate": ["functionUri": .string("\(watched.collector.origin)/hook")]]]
        ]
        #expect(try await watched.server.admin("PATCH", "/config?updateMask=blockingFunctions", hook).status == 200)
        _ = try await watched.server.signUp("a@example.com", "secret-1")
        #expect(try await watched.server.signIn("a@example.com", password: "wrong-1").status == 400)
        try await watched.wait(for: "signInWithPassword", in: "traces")
        try await watched.wait(for: "beforeCreate", in: "traces")
        let spans = try await watched.entries("traces")
        let hooked = try named("hook.ask", spans)
        #expect(hooked["attributes"] == ["postern.hook.event": "beforeCreate"])
        #expect(spans.contains { $0["name"] == "POST" && $0["kind"] == 3 && $0["parent"] == hooked["id"] })
        _ = try named("password.hash", spans)
        let refused = try named("POST /v1/accounts:signInWithPassword", spans)
        #expect(refused["attributes"]?["postern.error.code"] == "INVALID_PASSWORD")
        #expect(refused["status"] == 0)
        let call = try #require(watched.collector.calls.first { $0.path == "/hook" })
        #expect(call.headers["traceparent"]?.contains(hooked["trace"]?.string ?? "-") == true)
        #expect(call.headers["traceparent"]?.hasSuffix("-01") == true)
    }

    /// Asks a blocking function in a request with these headers; returns what the function was sent.
    private func hookCall(_ watched: Watched, _ headers: [(String, String)]) async throws -> LoopbackService.Call {
        let hook: JSONValue = [
            "blockingFunctions": ["triggers": ["beforeCreate": ["functionUri": .string("\(watched.collector.origin)/hook")]]]
        ]
        #expect(try await watched.server.admin("PATCH", "/config?updateMask=blockingFunctions", hook).status == 200)
        let answer = try await watched.server.client.send(
            "POST",
            "/v1/accounts:signUp?key=\(TestServer.apiKey)",
            headers: [("Content-Type", "application/json")] + headers,
            body: Data(#"{"email":"a@example.com","password":"secret-1"}"#.utf8)
        )
        #expect(answer.status == 200)
        return try #require(watched.collector.calls.last { $0.path == "/hook" })
    }

    @Test("a stranger's trace is passed on, but not recorded at the stranger's word")
    func stranger() async throws {
        let never = ["POSTERN_TELEMETRY_TRACES_SAMPLE_RATIO": "0"]
        let watched = try await startWatched(never, project: TestServer.emailProject())
        let call = try await hookCall(watched, traceparent(sampled: true))
        let passedOn = try #require(call.headers["traceparent"])
        #expect(passedOn.hasPrefix("00-\(Self.trace)-"))
        #expect(passedOn.hasSuffix("-00"))
        #expect(!passedOn.contains("b7ad6b7169203331"))
        #expect(watched.server.log.lines.contains { $0.contains("trace_id=\(Self.trace)") })
        try await watched.wait(for: Self.trace, in: "logs")
        let records = try await watched.entries("logs")
        #expect(records.contains { $0["trace"]?.string == Self.trace && $0["body"] == "request" })
        #expect(!watched.collector.calls.contains { $0.path == "/v1/traces" })
    }

    @Test("a header that is no trace is ignored, and every call has one that says that nothing is recorded")
    func invalid() async throws {
        let never = ["POSTERN_TELEMETRY_TRACES_SAMPLE_RATIO": "0"]
        let watched = try await startWatched(never, project: TestServer.emailProject())
        let call = try await hookCall(watched, [("traceparent", "00-\(Self.trace)-oops-01")])
        let passedOn = try #require(call.headers["traceparent"])
        #expect(!passedOn.contains(Self.trace))
        #expect(passedOn.wholeMatch(of: /00-[0-9a-f]{32}-[0-9a-f]{16}-00/) != nil)
    }

    @Test(
        "a trusted proxy's word is followed, and everybody's where the settings say so",
        arguments: [["POSTERN_SERVER_TRUSTED_PROXIES": "127.0.0.1"], ["POSTERN_TELEMETRY_TRACES_TRUST_CALLERS": "true"]]
    )
    func trusted(environment: [String: String]) async throws {
        let variables = ["POSTERN_TELEMETRY_TRACES_SAMPLE_RATIO": "0"].merging(environment) { $1 }
        let watched = try await startWatched(variables, project: TestServer.emailProject())
        let call = try await hookCall(watched, traceparent(sampled: true) + [("tracestate", "vendor=1")])
        #expect(call.headers["traceparent"]?.hasPrefix("00-\(Self.trace)-") == true)
        #expect(call.headers["traceparent"]?.hasSuffix("-01") == true)
        #expect(call.headers["tracestate"] == "vendor=1")
        try await watched.wait(for: "POST /v1/accounts:signUp", in: "traces")
        let spans = try await watched.entries("traces")
        let request = try named("POST /v1/accounts:signUp", spans)
        #expect(request["trace"]?.string == Self.trace)
        #expect(request["parent"] == "b7ad6b7169203331")
        #expect(request["state"] == "vendor=1")
        #expect(spans.allSatisfy { $0["trace"]?.string == Self.trace })
    }

    @Test("metrics have the names of OpenTelemetry's conventions, and every one has a unit and a text")
    func metrics() async throws {
        let watched = try await startWatched()
        _ = try await watched.server.call("signUp", [:])
        try await watched.wait(for: "accounts:signUp", in: "metrics")
        let entries = try await watched.entries("metrics")
        let duration = try #require(
            entries.first {
                $0["name"] == "http.server.request.duration"
                    && $0["attributes"]?["http.route"] == "/v1/accounts:signUp"
            }
        )
        #expect(duration["kind"] == "histogram")
        #expect(duration["unit"] == "s")
        #expect(duration["value"] == 1)
        #expect(
            duration["attributes"] == [
                "http.request.method": "POST", "http.route": "/v1/accounts:signUp", "http.response.status_code": "200",
            ]
        )
        let signIns = try #require(entries.first { $0["name"] == "postern_sign_ins" })
        #expect(signIns["kind"] == "sum")
        #expect(signIns["attributes"] == ["provider": "anonymous"])
        #expect(entries.contains { $0["name"] == "process_resident_memory" && $0["unit"] == "By" && $0["kind"] == "gauge" })
        #expect(entries.allSatisfy { $0["unit"]?.string?.isEmpty == false })
    }

    @Test("what waits at the end is sent; a collector that is gone delays nobody and costs a bounded queue")
    func end() async throws {
        try await LoopbackService.running { collector in
            let environment = [
                "POSTERN_TELEMETRY_ENDPOINT": collector.origin, "POSTERN_TELEMETRY_TRACES_SAMPLE_RATIO": "1",
                "OTEL_BSP_SCHEDULE_DELAY": "3600000", "OTEL_METRICS_EXPORTER": "none", "OTEL_LOGS_EXPORTER": "none",
            ]
            try await TestServer.running(environment: environment) { server in
                _ = try await server.call("signUp", [:])
                #expect(collector.calls.isEmpty)
            }
            #expect(collector.calls.map(\.path) == ["/v1/traces"])
        }
        let gone = try RefusingPort()
        let environment = [
            "POSTERN_TELEMETRY_ENDPOINT": "http://127.0.0.1:\(gone.number)", "POSTERN_TELEMETRY_TRACES_SAMPLE_RATIO": "1",
            "OTEL_BSP_MAX_QUEUE_SIZE": "5", "OTEL_BSP_SCHEDULE_DELAY": "3600000", "OTEL_BLRP_SCHEDULE_DELAY": "3600000",
        ]
        let server = try await TestServer.start(environment: environment)
        for _ in 0..<3 { #expect(try await server.call("signUp", [:]).status == 200) }
        try await eventually {
            let page = try await server.client.get("/metrics", headers: TestServer.bearer)
            return String(decoding: page.bytes, as: UTF8.self).contains(
                /postern_telemetry_dropped_total\{signal="traces"\} [1-9]/
            )
        }
    }

    @Test("nothing is sent and no header is added by default")
    func off() async throws {
        let hooked = try await HookedServer.start(["beforeCreate"])
        hooked.answer("beforeCreate", .init(json: [:]))
        let answer = try await hooked.server.client.send(
            "POST",
            "/v1/accounts:signUp?key=\(TestServer.apiKey)",
            headers: [("Content-Type", "application/json")] + traceparent(sampled: true),
            body: Data(#"{"email":"a@example.com","password":"secret-1"}"#.utf8)
        )
        #expect(answer.status == 200)
        let call = try #require(hooked.functions.calls.first)
        #expect(call.headers["traceparent"] == nil)
        #expect(!hooked.server.log.lines.contains { $0.contains("trace_id") })
        #expect(hooked.server.core.telemetry == nil)
    }
}
