import CoreMetrics
import Project

/// Keeps what the server counts, and writes it in Prometheus' text format 0.0.4.
///
/// Behind swift-metrics' seam, so that another backend can take its place. The number of series, which are the lines of the page, is
/// bounded whatever strangers send: each metric tells a number of label sets apart (``Metric/mostMembers``) and counts all further ones as
/// one, and what would go beyond the bound of the page is not kept.
final class MetricsRegistry: MetricsFactory {
    private struct Key: Hashable {
        let label: String
        let dimensions: [Dimension]
    }

    struct Dimension: Hashable, Sendable {
        let name: String
        let value: String
    }

    /// The most lines of the page with a value.
    static let maximumSeries = 499

    private let books = LockedState(Books())

    private struct Books {
        var series: [Key: any MetricSeries] = [:]
        var members: [String: Int] = [:]
        var lines = 0
    }

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
        var key = Key(label: label, dimensions: dimensions.map { Dimension(name: $0.0, value: $0.1) })
        return books.withLock { books in
            if let known = books.series[key] { return known as? S }
            if books.members[label, default: 0] >= Metric.named(label).mostMembers {
                key = Key(label: label, dimensions: dimensions.map { Dimension(name: $0.0, value: "other") })
                if let known = books.series[key] { return known as? S }
            }
            let made = make()
            guard books.lines + made.lineCount <= Self.maximumSeries else { return nil }
            books.lines += made.lineCount
            books.members[label, default: 0] += 1
            books.series[key] = made
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

    private var grouped: [String: [(key: Key, value: any MetricSeries)]] {
        Dictionary(grouping: books.withLock { Array($0.series) }, by: \.key.label)
    }

    /// Everything now, sorted by name.
    var families: [Family] {
        grouped.sorted { $0.key < $1.key }.map { label, members in
            Family(label: label, members: members.map { .init(dimensions: $0.key.dimensions, reading: $0.value.reading) })
        }
    }

    /// The page: everything, sorted by name and labels.
    var text: String {
        let families = grouped
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
