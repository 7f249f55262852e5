import CoreMetrics
import Project

/// One metric with one set of labels.
protocol MetricSeries: AnyObject, Sendable {
    /// The kind's name in Prometheus.
    var kind: String { get }
    /// How many lines it has on the page.
    var lineCount: Int { get }
    /// Its lines on the page.
    func lines(_ label: String, _ dimensions: [MetricsRegistry.Dimension]) -> [String]
    /// Its value now.
    var reading: MetricReading { get }
}

/// The value of a series at one time.
enum MetricReading: Sendable {
    /// What only grows.
    case total(Double)
    /// What goes up and down.
    case level(Double)
    case histogram(Histogram)

    /// How many values were at most each bound, and above the one before it.
    struct Histogram: Sendable {
        let bounds: [Double]
        var counts: [Int64]
        var count: Int64 = 0
        var sum = 0.0
    }
}

extension MetricSeries {
    var lineCount: Int { 1 }

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

    var reading: MetricReading { .total(Double(value.withLock { $0 })) }

    func increment(by amount: Int64) { value.withLock { $0 &+= amount } }

    func reset() { value.withLock { $0 = 0 } }

    func lines(_ label: String, _ dimensions: [MetricsRegistry.Dimension]) -> [String] {
        [line(label, dimensions, String(value.withLock { $0 }))]
    }
}

/// A series that only grows, and is counted elsewhere.
final class TotalSeries: MetricSeries {
    private let value = LockedState(0.0)

    var kind: String { "counter" }

    var reading: MetricReading { .total(value.withLock { $0 }) }

    func set(_ total: Double) { value.withLock { $0 = total } }

    func lines(_ label: String, _ dimensions: [MetricsRegistry.Dimension]) -> [String] {
        [line(label, dimensions, written(value.withLock { $0 }))]
    }
}

/// A series that goes up and down.
final class GaugeSeries: MetricSeries, MeterHandler, RecorderHandler {
    private let value = LockedState(0.0)

    var kind: String { "gauge" }

    var reading: MetricReading { .level(value.withLock { $0 }) }

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
    private let state: LockedState<MetricReading.Histogram>
    let lineCount: Int

    init(bounds: [Double]) {
        // Each bound, infinity, the sum and the count.
        lineCount = bounds.count + 3
        state = LockedState(.init(bounds: bounds, counts: Array(repeating: 0, count: bounds.count)))
    }

    var kind: String { "histogram" }

    var reading: MetricReading { .histogram(state.withLock { $0 }) }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1_000_000_000) }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        state.withLock { state in
            state.count += 1
            state.sum += value
            if let index = state.bounds.firstIndex(where: { value <= $0 }) { state.counts[index] += 1 }
        }
    }

    func lines(_ label: String, _ dimensions: [MetricsRegistry.Dimension]) -> [String] {
        let state = state.withLock { $0 }
        var sum: Int64 = 0
        var lines = zip(state.bounds, state.counts).map { bound, count in
            sum += count
            return line("\(label)_bucket", dimensions + [.init(name: "le", value: written(bound))], String(sum))
        }
        lines.append(line("\(label)_bucket", dimensions + [.init(name: "le", value: "+Inf")], String(state.count)))
        lines.append(line("\(label)_sum", dimensions, written(state.sum)))
        lines.append(line("\(label)_count", dimensions, String(state.count)))
        return lines
    }
}
