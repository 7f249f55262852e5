package import Project
import Storage
import Tenancy

/// Reads the counts of days for operators.
package struct OverviewReader: UsesRuntime {
    let runtime: Runtime

    /// The spans that can be asked for, in days.
    package static let spans = [14, 30, 90]

    private static let mostRows = 50_000
    private static let mostSeries = 12

    /// What happened in a span of days.
    package struct Overview: Sendable {
        /// The days, the earliest first: days since 1970, UTC.
        package let days: [Int64]
        private let series: [DailyCounts.Metric: [Series]]

        fileprivate init(days: [Int64], series: [DailyCounts.Metric: [Series]]) {
            self.days = days
            self.series = series
        }

        /// The counts of a metric by label, the largest first; the rest is one series at the end.
        package subscript(metric: DailyCounts.Metric) -> [Series] { series[metric] ?? [] }
    }

    /// The counts of one label.
    package struct Series: Sendable {
        package let label: String
        /// One for each day.
        package fileprivate(set) var values: [Int64]

        package var total: Int64 { values.reduce(0, +) }
    }

    /// Reads the last days, today among them.
    ///
    /// - Parameter span: How many days, one of ``spans``; any other is the shortest.
    package func read(span: Int, tenantID: String?, context: CallContext) async throws -> Overview {
        if tenantID != nil { try await configurations.requireServed(context.scope) }
        let span = Self.spans.contains(span) ? span : Self.spans[0]
        let today = DailyCounts.day(of: environment.now())
        let first = today - Int64(span) + 1
        let rows = try await database.read {
            try $0.dailyCounts(
                context.scope.projectID,
                tenantKey: tenantID ?? DailyCount.Key.everywhere,
                since: first,
                limit: Self.mostRows
            )
        }
        var found: [DailyCounts.Metric: [String: Series]] = [:]
        for row in rows where row.key.day <= today {
            guard let metric = DailyCounts.Metric(rawValue: row.key.metric) else { continue }
            let empty = Series(label: row.key.label, values: Array(repeating: 0, count: span))
            found[metric, default: [:]][row.key.label, default: empty].values[Int(row.key.day - first)] += row.count
        }
        return Overview(days: Array(first...today), series: found.mapValues { Self.ranked(Array($0.values)) })
    }

    // A chart has colours for few series.
    private static func ranked(_ series: [Series]) -> [Series] {
        let sorted = series.sorted { ($1.total, $0.label) < ($0.total, $1.label) }
        guard sorted.count > mostSeries else { return sorted }
        let rest = sorted[(mostSeries - 1)...]
        let values = rest[rest.startIndex].values.indices.map { day in rest.reduce(0) { $0 + $1.values[day] } }
        return Array(sorted.prefix(mostSeries - 1)) + [Series(label: DailyCounts.other, values: values)]
    }
}
