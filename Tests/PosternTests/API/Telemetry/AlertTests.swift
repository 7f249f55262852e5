import Foundation
import Project
import TestKit
import Testing

@testable import Server

/// `Config/alerts.yml` and `Config/grafana`, read by Prometheus' own tools, against a live page of metrics.
@Suite("Alerts and dashboards", .teardown, .timeLimit(.minutes(15)))
struct AlertTests {
    private static let rules = packageDirectory.appending(path: "Config/alerts.yml").path
    private static let dashboards = packageDirectory.appending(path: "Config/grafana")

    private func promtool(_ arguments: [String]) async throws -> (code: Int32, text: String) {
        let program = "/usr/bin/promtool"
        try #require(FileManager.default.isExecutableFile(atPath: program), "install prometheus first; make test does")
        return try await RepositoryProgram.run(program, arguments)
    }

    /// Each expression of the dashboards, as Grafana would ask it of Prometheus.
    private func expressions() throws -> [(panel: String, text: String)] {
        let files = try FileManager.default.contentsOfDirectory(at: Self.dashboards, includingPropertiesForKeys: nil)
        #expect(files.count == 3)
        return try files.flatMap { file in
            let dashboard = try JSONValue.parse(Data(contentsOf: file))
            return try #require(dashboard["panels"]?.array).flatMap { panel in
                (panel["targets"]?.array ?? []).compactMap { target in
                    let text = target["expr"]?.string?.replacing("$__rate_interval", with: "5m").replacing("$job", with: ".*")
                        .replacing("$instance", with: ".*")
                    return text.map { ("\(file.lastPathComponent): \(panel["title"]?.string ?? "")", $0) }
                }
            }
        }
    }

    @Test("the rules are valid, and fire and rest as their tests say")
    func rules() async throws {
        let (code, text) = try await promtool(["check", "rules", Self.rules])
        #expect(code == 0, "\(text)")
        let tests = packageDirectory.appending(path: "Tests/Prometheus/alerts.test.yml").path
        let (tested, report) = try await promtool(["test", "rules", tests])
        #expect(tested == 0, "\(report)")
    }

    @Test("a live page passes Prometheus' linter, and rules and dashboards ask for metrics that exist")
    func live() async throws {
        let certificate = ["POSTERN_TELEMETRY_ENDPOINT": "http://127.0.0.1:1", "OTEL_METRICS_EXPORTER": "none"]
        let server = try await TestServer.start(environment: certificate, project: TestServer.emailProject())
        _ = try await server.signUp("a@example.com", "secret-1")
        _ = try await server.call("lookup", ["idToken": "wrong"])
        let answer = try await server.client.get("/metrics", headers: TestServer.bearer)
        let page = String(decoding: answer.bytes, as: UTF8.self)
        try await withTemporaryDirectory { directory in
            let file = "\(directory)/page.txt"
            try page.write(toFile: file, atomically: true, encoding: .utf8)
            let (code, text) = try await RepositoryProgram.run(
                "/bin/sh",
                ["-c", "exec /usr/bin/promtool check metrics < '\(file)'"]
            )
            #expect(code == 0, "\(text)")
        }
        let shown = Set(page.matches(of: /# TYPE ([a-z_]+)/).map { String($0.1) })
        let known = Set(Metric.all.map(\.label))
        #expect(shown.subtracting(known).isEmpty)
        let panels = try expressions().map(\.text).joined(separator: "\n")
        let asked = panels + (try String(contentsOfFile: Self.rules, encoding: .utf8))
        let names = Set(asked.matches(of: /\b(?:postern|http_server|process)_[a-z_]+/).map { String($0.0) })
        for name in names where !known.contains(name) {
            let base = ["_bucket", "_count", "_sum"].first { name.hasSuffix($0) }.map { String(name.dropLast($0.count)) }
            #expect(base.map(known.contains) == true, "\(name)")
        }
        #expect(names.count > 25)
    }

    @Test("Prometheus itself scrapes a node, and evaluates every rule and every panel")
    func prometheus() async throws {
        let admin = TestServer.privateListener
        let server = try await TestServer.start(environment: admin)
        _ = try await server.call("signUp", [:])
        let node = try #require(server.privatePort)
        let directory = try await makeTemporaryDirectory()
        let configuration = """
            global: {scrape_interval: 1s, evaluation_interval: 1s}
            rule_files: ["\(Self.rules)"]
            scrape_configs: [{job_name: postern, static_configs: [{targets: ["127.0.0.1:\(node)"]}]}]
            """
        try configuration.write(toFile: directory + "/prometheus.yml", atomically: true, encoding: .utf8)
        let port = try RefusingPort()
        let program = try ServerProcess(
            [
                "--config.file=\(directory)/prometheus.yml", "--storage.tsdb.path=\(directory)/data",
                "--web.listen-address=127.0.0.1:\(port.number)",
            ],
            executable: "/usr/bin/prometheus",
            environment: [:],
            directory: directory
        )
        let client = TestClient("http://127.0.0.1:\(port.number)")
        try await eventually {
            let answer = try? await ask("count(http_server_request_duration_seconds_count) > 0", client)
            return answer?["data"]?["result"]?.array?.isEmpty == false
        }
        for (panel, text) in try expressions() {
            let answer = try await ask(text, client)
            #expect(answer["status"] == "success", "\(panel): \(answer.text)")
        }
        let unhealthy = try await eventually { () async throws -> [String]? in
            let groups = try await client.get("/api/v1/rules").json["data"]?["groups"]?.array ?? []
            let rules = groups.flatMap { $0["rules"]?.array ?? [] }
            guard rules.count > 20, rules.allSatisfy({ $0["health"] != "unknown" }) else { return nil }
            return rules.filter { $0["health"] != "ok" }.map(\.text)
        }
        #expect(unhealthy.isEmpty, "\(unhealthy)")
        _ = await program.terminate()
    }

    private func ask(_ expression: String, _ client: TestClient) async throws -> JSONValue {
        try await client.get("/api/v1/query?" + TestClient.encode([("query", expression)])).json
    }
}
