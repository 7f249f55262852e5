import CoreMetrics
import Project

/// One metric with one set of labels.
protocol MetricSeries: AnyObject, Sendable {
    /// The kind's name in Prometheus.
    var kind: String { get }
    /// Its lines on the page.
    func lines(_ label: String, _ dimensions: [MetricsRegistry.Dimension]) -> [String]
}

extension MetricSeries {
    /// `label{name="value"} number`
    fileprivate func line(_ label: String, _ dimensions: [MetricsRegistry.Dimension], _ number: String) -> String {
        guard !dimensions.isEmpty else { return "\(label) \(number)" }
        let labels = dimensions.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
        return "\(label){\(labels)} \(number)"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }

    /// A number without a fraction where it has none.
    fileprivate func written(_ number: Double) -> String {
        Int64(exactly: number).map { String($0) } ?? String(number)
    }
}

/// A series that only grows.
final class CounterSeries: MetricSeries, CounterHandler {
    private let value = LockedState<Int64>(0)

    var kind: String { "counter" }

    func increment(by amount: Int64) { value.withLock { $0 &+= amount } }

    func reset() { value.withLock { $0 = 0 } }

    func lines(_ label: String, _ dimensions: [MetricsRegistry.Dimension]) -> [String] {
        [line(label, dimensions, String(value.withLock { $0 }))]
    }
}

/// A series that goes up and down.
final class GaugeSeries: MetricSeries, MeterHandler, RecorderHandler {
    private let value = LockedState(0.0)

    var kind: String { "gauge" }

    func set(_ value: Int64) { set(Double(value)) }

    func set(_ value: Double) { self.value.withLock { $0 = value } }

    func increment(by amount: Double) { value.withLock { $0 += amount } }

    func decrement(by amount: Double) { value.withLock { $0 -= amount } }

    func record(_ value: Int64) { set(value) }

    func record(_ value: Double) { set(value) }

    func lines(_ label: String, _ dimensions: [MetricsRegistry.Dimension]) -> [String] {
        [line(label, dimensions, written(value.withLock { $0 }))]
    }
}

/// A distribution of values. Times are kept in seconds.
final class HistogramSeries: MetricSeries, TimerHandler, RecorderHandler {
    private struct State: Sendable {
        var counts = [Int64](repeating: 0, count: HistogramSeries.bounds.count)
        var count: Int64 = 0
        var sum = 0.0
    }

    private static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    private let state = LockedState(State())

    var kind: String { "histogram" }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1_000_000_000) }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        state.withLock { state in
            state.count += 1
            state.sum += value
            if let index = Self.bounds.firstIndex(where: { value <= $0 }) { state.counts[index] += 1 }
        }
    }

    func lines(_ label: String, _ dimensions: [MetricsRegistry.Dimension]) -> [String] {
        let state = state.withLock { $0 }
        var sum: Int64 = 0
        var lines = zip(Self.bounds, state.counts).map { bound, count in
            sum += count
            return line("\(label)_bucket", dimensions + [.init(name: "le", value: written(bound))], String(sum))
        }
        lines.append(line("\(label)_bucket", dimensions + [.init(name: "le", value: "+Inf")], String(state.count)))
        lines.append(line("\(label)_sum", dimensions, written(state.sum)))
        lines.append(line("\(label)_count", dimensions, String(state.count)))
        return lines
    }
}
