import Foundation
import TestKit
import Testing

@testable import Server

@Suite("The list of metrics")
struct MetricListTests {
    @Test("is in the documentation, name by name")
    func documented() throws {
        let page = try String(contentsOf: packageDirectory.appending(path: "Docs/Telemetry.md"), encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }.compactMap { $0.split(separator: "|").first }
        let documented = Set(rows.flatMap { $0.matches(of: /`([a-z_]+)`/).map { String($0.1) } })
        for metric in Metric.all { #expect(documented.contains(metric.label), "\(metric.label)") }
        let labels = Set(Metric.all.map(\.label))
        for name in documented where ["postern_", "process_", "http_"].contains(where: name.hasPrefix) {
            #expect(labels.contains(name), "\(name)")
        }
    }

    @Test("has every name that a page or a file of Config asks for")
    func asked() throws {
        let labels = Set(Metric.all.map(\.label))
        // The upgrade notes name what 0.1.0 had.
        let gone: Set = ["postern_http_requests_total", "postern_http_request_duration_seconds"]
        for folder in ["Docs", "Config"] {
            let place = packageDirectory.appending(path: folder)
            let files = try #require(FileManager.default.enumerator(at: place, includingPropertiesForKeys: nil))
            for case let file as URL in files where ["md", "yml", "yaml", "json"].contains(file.pathExtension) {
                let text = try String(contentsOf: file, encoding: .utf8)
                let known = file.path.hasSuffix("/Docs/Upgrading.md") ? labels.union(gone) : labels
                // The endings are those that Prometheus gives to parts of a histogram.
                let pattern = /\b((?:postern|http_server|process)_[a-z_]+?_(?:total|seconds|bytes))(?:_bucket|_sum|_count)?\b/
                for match in text.matches(of: pattern) {
                    #expect(known.contains(String(match.1)), "\(match.0) in \(file.lastPathComponent)")
                }
            }
        }
    }

    @Test("has names in OTLP that lead back to those of Prometheus")
    func names() {
        #expect(Metric.named("http_server_request_duration_seconds").exportedName == "http.server.request.duration")
        #expect(Metric.named("http_server_request_duration_seconds").unit == "s")
        #expect(Metric.named("postern_sign_ins_total").exportedName == "postern_sign_ins")
        #expect(Metric.named("process_cpu_seconds_total").exportedName == "process_cpu")
        #expect(Metric.named("process_cpu_seconds_total").unit == "s")
        #expect(Metric.named("process_resident_memory_bytes").unit == "By")
        #expect(Set(Metric.all.map(\.exportedName)).count == Metric.all.count)
    }
}
