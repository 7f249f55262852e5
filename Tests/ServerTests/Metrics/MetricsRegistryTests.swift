import CoreMetrics
import Testing

@testable import Server

@Suite("The page of metrics")
struct MetricsRegistryTests {
    @Test("escapes labels and adds histograms up")
    func format() {
        let registry = MetricsRegistry()
        Counter(label: "c_total", dimensions: [("a", "x\"y\\z\nend")], factory: registry).increment(by: 2)
        Counter(label: "c_total", dimensions: [("a", "x\"y\\z\nend")], factory: registry).increment()
        let timer = Timer(label: "t_seconds", factory: registry)
        timer.recordMilliseconds(30)
        timer.recordMilliseconds(700)
        timer.recordSeconds(60)
        let lines = registry.text.split(separator: "\n").map(String.init)
        #expect(lines[0] == "# TYPE c_total counter")
        #expect(lines[1] == #"c_total{a="x\"y\\z\nend"} 3"#)
        for line in [
            #"t_seconds_bucket{le="0.025"} 0"#, #"t_seconds_bucket{le="0.05"} 1"#, #"t_seconds_bucket{le="1"} 2"#,
            #"t_seconds_bucket{le="+Inf"} 3"#, "t_seconds_sum 60.73", "t_seconds_count 3",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
    }

    @Test("has no more series when a label runs away")
    func bounded() {
        let registry = MetricsRegistry()
        for number in 0..<10_050 {
            Counter(label: "c_total", dimensions: [("n", String(number))], factory: registry).increment()
        }
        let lines = registry.text.split(separator: "\n").map(String.init)
        #expect(lines.count == 1 + Metric.named("c_total").mostMembers + 1)
        #expect(lines.contains(#"c_total{n="0"} 1"#) && lines.contains(#"c_total{n="other"} 10034"#), "\(lines)")
        for number in 0..<200 {
            for other in 0..<50 {
                Timer(label: "t\(number)_seconds", dimensions: [("n", String(other))], factory: registry).recordMilliseconds(1)
            }
        }
        #expect(registry.text.split(separator: "\n").count { !$0.hasPrefix("#") } < 500)
    }
}
