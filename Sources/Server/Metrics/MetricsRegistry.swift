import CoreMetrics
import Project

/// Keeps what the server counts, and writes it in Prometheus' text format 0.0.4.
///
/// Behind swift-metrics' seam, so that another backend can take its place. The number of series is bounded: what would go beyond
/// is not kept, whatever a mistaken label might hold.
final class MetricsRegistry: MetricsFactory {
    private struct Key: Hashable {
        let label: String
        let dimensions: [Dimension]
    }

    struct Dimension: Hashable, Sendable {
        let name: String
        let value: String
    }

    private static let maximumSeries = 10_000

    private let series = LockedState<[Key: any MetricSeries]>([:])

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        find(label, dimensions) { CounterSeries() } ?? NOOPMetricsHandler.instance
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        find(label, dimensions) { GaugeSeries() } ?? NOOPMetricsHandler.instance
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        if !aggregate { return find(label, dimensions) { GaugeSeries() } ?? NOOPMetricsHandler.instance }
        return find(label, dimensions) { HistogramSeries(bounds: Metric.named(label).bounds) } ?? NOOPMetricsHandler.instance
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        find(label, dimensions) { HistogramSeries(bounds: Metric.named(label).bounds) } ?? NOOPMetricsHandler.instance
    }

    // Destroying an instrument does not remove its values.
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    /// Sets a series that only grows to what was counted elsewhere.
    func set(_ label: String, total: Double, _ dimensions: [(String, String)] = []) {
        find(label, dimensions) { TotalSeries() }?.set(total)
    }

    private func find<S: MetricSeries>(_ label: String, _ dimensions: [(String, String)], make: () -> S) -> S? {
        let key = Key(label: label, dimensions: dimensions.map { Dimension(name: $0.0, value: $0.1) })
        return series.withLock { series in
            if let known = series[key] { return known as? S }
            guard series.count < Self.maximumSeries else { return nil }
            let made = make()
            series[key] = made
            return made
        }
    }

    /// Everything of one name.
    struct Family: Sendable {
        struct Member: Sendable {
            let dimensions: [Dimension]
            let reading: MetricReading
        }

        let label: String
        let members: [Member]
    }

    /// Everything now, sorted by name.
    var families: [Family] {
        Dictionary(grouping: series.withLock { Array($0) }, by: \.key.label).sorted { $0.key < $1.key }.map { label, members in
            Family(label: label, members: members.map { .init(dimensions: $0.key.dimensions, reading: $0.value.reading) })
        }
    }

    /// The page: everything, sorted by name and labels.
    var text: String {
        let families = Dictionary(grouping: series.withLock { Array($0) }, by: \.key.label)
        var text = ""
        for (label, members) in families.sorted(by: { $0.key < $1.key }) {
            guard let first = members.first else { continue }
            if let help = Metric.named(label).help { text += "# HELP \(label) \(help)\n" }
            text += "# TYPE \(label) \(first.value.kind)\n"
            let lines = members.map { key, series in series.lines(label, key.dimensions) }
            text += lines.sorted { $0.lexicographicallyPrecedes($1) }.joined().map { $0 + "\n" }.joined()
        }
        return text
    }
}
