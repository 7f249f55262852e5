import Project

extension OTLPDocument {
    /// `ExportMetricsServiceRequest`. Every sum and histogram counts from the start of the process.
    func metrics(_ families: [MetricsRegistry.Family], since start: Timestamp, at now: Timestamp) -> [UInt8] {
        let times = Times(start: Self.nanoseconds(start), now: Self.nanoseconds(now))
        return serialized("resourceMetrics", "scopeMetrics", "metrics", families.map { Self.metric($0, times) })
    }

    private struct Times {
        let start: JSONValue
        let now: JSONValue
    }

    private static func nanoseconds(_ time: Timestamp) -> JSONValue { integer(time.milliseconds &* 1_000_000) }

    private static func metric(_ family: MetricsRegistry.Family, _ times: Times) -> JSONValue {
        let metric = Metric.named(family.label)
        var value: JSONObject = ["name": .string(metric.exportedName), "unit": .string(metric.unit)]
        if let help = metric.help { value["description"] = .string(help) }
        let points = family.members.map { point($0.reading, dimensions: $0.dimensions, times) }
        switch family.members.first?.reading {
        case .total: value["sum"] = ["aggregationTemporality": 2, "isMonotonic": true, "dataPoints": .array(points)]
        case .histogram: value["histogram"] = ["aggregationTemporality": 2, "dataPoints": .array(points)]
        case .level, nil: value["gauge"] = ["dataPoints": .array(points)]
        }
        return .object(value)
    }

    private static func point(
        _ reading: MetricReading,
        dimensions: [MetricsRegistry.Dimension],
        _ times: Times
    ) -> JSONValue {
        var value: JSONObject = [
            "attributes": .array(dimensions.map { attribute(Metric.exportedDimension($0.name), .string($0.value)) }),
            "timeUnixNano": times.now,
        ]
        switch reading {
        case .level(let level): value["asDouble"] = number(level)
        case .total(let total):
            value["startTimeUnixNano"] = times.start
            if let whole = Int64(exactly: total) { value["asInt"] = integer(whole) } else { value["asDouble"] = number(total) }
        case .histogram(let histogram):
            value["startTimeUnixNano"] = times.start
            value["count"] = integer(histogram.count)
            value["sum"] = number(histogram.sum)
            value["explicitBounds"] = .array(histogram.bounds.map { .number($0) })
            let beyond = histogram.count - histogram.counts.reduce(0, +)
            value["bucketCounts"] = .array((histogram.counts + [beyond]).map { integer($0) })
        }
        return .object(value)
    }
}
