import Project

/// `telemetry.*` and the `OTEL_*` variables: what is sent to an OpenTelemetry collector, over OTLP/HTTP in JSON.
///
/// A key of Postern's goes before the variable of the specification. Nothing is sent unless there is an endpoint.
package struct TelemetrySettings: Sendable {
    /// Which requests are recorded (`OTEL_TRACES_SAMPLER`).
    package struct Sampler: Sendable, Hashable {
        /// The share of requests, 0 to 1, that begin a recorded trace.
        package let ratio: Double
        /// Whether the decision of a trusted caller goes before the ratio.
        package let followsParent: Bool

        package init(ratio: Double, followsParent: Bool) {
            self.ratio = ratio
            self.followsParent = followsParent
        }
    }

    /// The bounds of a queue (`OTEL_BSP_*`, `OTEL_BLRP_*`).
    package struct Queue: Sendable, Hashable {
        /// How many entries wait at most. Further ones are dropped, and counted.
        package let size: Int
        /// How many are sent at once.
        package let batch: Int
        /// The time between two sendings.
        package let delay: Duration
    }

    /// One kind of data and where it goes.
    package struct Destination: Sendable {
        /// The whole URL.
        package let url: WebURL
        /// Headers of each request. Their values may be secrets.
        package let headers: [(name: String, value: Secret<String>)]
        /// The time for one request.
        package let timeout: Duration
    }

    /// Traces; `nil` when none are sent.
    package let traces: Destination?
    /// Metrics; `nil` when none are sent.
    package let metrics: Destination?
    /// Log records; `nil` when none are sent.
    package let logs: Destination?
    /// `service.name` and everything else that is known of this process.
    package let resource: [(name: String, value: String)]
    /// Which requests are recorded.
    package let sampler: Sampler
    /// Whether everybody may decide that a request is recorded, and not only trusted proxies.
    package let trustsCallers: Bool
    package let spanQueue: Queue
    package let logQueue: Queue
    /// The time between two sendings of metrics.
    package let metricsInterval: Duration

    /// Whether anything is sent.
    package var isOn: Bool { traces != nil || metrics != nil || logs != nil }

    init(_ reader: SettingsReader, variables: OpenTelemetryVariables) {
        let base = reader.optional(
            "endpoint",
            .baseURL,
            otherwise: "`OTEL_EXPORTER_OTLP_ENDPOINT`, else nothing is sent",
            "collector that takes OTLP/HTTP in JSON, as `http://localhost:4318`; `/v1/traces`, `/v1/metrics` and `/v1/logs` are appended"
        )
        let headers = reader.secret(
            "headers",
            .pairs,
            otherwise: "`OTEL_EXPORTER_OTLP_HEADERS`",
            "headers of each request to the collector"
        )
        let name = reader.optional("serviceName", .text, otherwise: "`OTEL_SERVICE_NAME`, else `postern`", "`service.name`")
        let seconds = reader.optional(
            "timeoutSeconds",
            .integer(in: 1...120),
            otherwise: "`OTEL_EXPORTER_OTLP_TIMEOUT`, else `10`",
            "time for one request to the collector"
        )
        let signals = Signals(base: base, headers: headers, seconds: seconds, variables: variables, reader: reader)
        let traces = reader.section("traces")
        self.traces = signals.destination("traces", isWanted: Self.isWanted(traces, "OTEL_TRACES_EXPORTER", "traces", variables))
        let ratio = traces.optional(
            "sampleRatio",
            .ratio,
            otherwise: "`OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG`, else `0.01`",
            "share of requests that are recorded"
        )
        sampler = Self.sampler(ratio, variables, reader)
        trustsCallers = traces.value(
            "trustCallers",
            .boolean,
            default: false,
            "let every caller's `traceparent` decide about sampling, and not only that of `server.trustedProxies`"
        )
        spanQueue = Self.queue("OTEL_BSP", delay: 5000, variables, reader)
        let metrics = reader.section("metrics")
        self.metrics = signals.destination(
            "metrics",
            isWanted: Self.isWanted(metrics, "OTEL_METRICS_EXPORTER", "metrics", variables)
        )
        let interval = metrics.optional(
            "intervalSeconds",
            .integer(in: 1...3600),
            otherwise: "`OTEL_METRIC_EXPORT_INTERVAL`, else `60`",
            "time between two sendings of metrics"
        )
        metricsInterval =
            interval.map { .seconds($0) }
            ?? .milliseconds(variables.integer("OTEL_METRIC_EXPORT_INTERVAL", in: 1000...3_600_000, reader) ?? 60_000)
        let logs = reader.section("logs")
        self.logs = signals.destination("logs", isWanted: Self.isWanted(logs, "OTEL_LOGS_EXPORTER", "log records", variables))
        logQueue = Self.queue("OTEL_BLRP", delay: 1000, variables, reader)
        resource = Self.resource(name, variables, reader)
        signals.warnOfOtherProtocols()
    }

    private static func isWanted(
        _ reader: SettingsReader,
        _ exporter: String,
        _ what: String,
        _ variables: OpenTelemetryVariables
    ) -> Bool {
        let wanted = reader.optional(
            "enabled",
            .boolean,
            otherwise: "`true` unless `\(exporter)` is `none`",
            "whether \(what) are sent when there is a collector"
        )
        return wanted ?? (variables.text(exporter)?.lowercased() != "none")
    }

    // Unset, one request in a hundred is recorded, and not all of them as the specification has it: a trace costs more than a request.
    private static func sampler(_ ratio: Double?, _ variables: OpenTelemetryVariables, _ reader: SettingsReader) -> Sampler {
        if let ratio { return Sampler(ratio: ratio, followsParent: true) }
        func argument() -> Double {
            variables.value("OTEL_TRACES_SAMPLER_ARG", reader, "a number from 0 to 1") { text in
                Double(text).flatMap { (0...1).contains($0) ? $0 : nil }
            } ?? 1
        }
        let named = variables.value(
            "OTEL_TRACES_SAMPLER",
            reader,
            "always_on, always_off, traceidratio or one of them after parentbased_"
        ) { text -> Sampler? in
            switch text {
            case "always_on": Sampler(ratio: 1, followsParent: false)
            case "always_off": Sampler(ratio: 0, followsParent: false)
            case "traceidratio": Sampler(ratio: argument(), followsParent: false)
            case "parentbased_always_on": Sampler(ratio: 1, followsParent: true)
            case "parentbased_always_off": Sampler(ratio: 0, followsParent: true)
            case "parentbased_traceidratio": Sampler(ratio: argument(), followsParent: true)
            default: nil
            }
        }
        return named ?? Sampler(ratio: 0.01, followsParent: true)
    }

    private static func queue(
        _ prefix: String,
        delay: Int,
        _ variables: OpenTelemetryVariables,
        _ reader: SettingsReader
    ) -> Queue {
        let size = variables.integer("\(prefix)_MAX_QUEUE_SIZE", in: 1...100_000, reader) ?? 2048
        let batch = variables.integer("\(prefix)_MAX_EXPORT_BATCH_SIZE", in: 1...10_000, reader) ?? 512
        let milliseconds = variables.integer("\(prefix)_SCHEDULE_DELAY", in: 10...3_600_000, reader) ?? delay
        return Queue(size: size, batch: min(batch, size), delay: .milliseconds(milliseconds))
    }

    private static func resource(
        _ name: String?,
        _ variables: OpenTelemetryVariables,
        _ reader: SettingsReader
    ) -> [(name: String, value: String)] {
        var attributes = variables.pairs("OTEL_RESOURCE_ATTRIBUTES", reader) ?? []
        let known = attributes.last { $0.name == "service.name" }?.value
        attributes.removeAll { $0.name == "service.name" }
        return [("service.name", name ?? variables.text("OTEL_SERVICE_NAME") ?? known ?? "postern")] + attributes
    }
}

/// What the kinds of data have in common.
private struct Signals {
    let base: WebURL?
    let headers: Secret<[String]>?
    let seconds: Int?
    let variables: OpenTelemetryVariables
    let reader: SettingsReader

    /// Where a kind of data goes; `nil` when it is not sent.
    func destination(_ signal: String, isWanted: Bool) -> TelemetrySettings.Destination? {
        guard isWanted, !variables.isTrue("OTEL_SDK_DISABLED"), let url = url(signal) else { return nil }
        return TelemetrySettings.Destination(url: url, headers: headers(signal), timeout: timeout(signal))
    }

    private func url(_ signal: String) -> WebURL? {
        if let base { return WebURL("\(base.text)/v1/\(signal)") }
        let own = "OTEL_EXPORTER_OTLP_\(signal.uppercased())_ENDPOINT"
        // The URL of one signal is taken as it is (OpenTelemetry Protocol Exporter, "Endpoint URLs for OTLP/HTTP").
        if let url = variables.value(own, reader, "an absolute http or https URL", { WebURL($0) }) { return url }
        return variables.value("OTEL_EXPORTER_OTLP_ENDPOINT", reader, "an absolute http or https URL") { text in
            WebURL("\(text.hasSuffix("/") ? String(text.dropLast()) : text)/v1/\(signal)")
        }
    }

    private func headers(_ signal: String) -> [(name: String, value: Secret<String>)] {
        let own = "OTEL_EXPORTER_OTLP_\(signal.uppercased())_HEADERS"
        let pairs =
            headers.map { $0.reveal().compactMap { OpenTelemetryVariables.pairs($0)?.first } }
            ?? variables.pairs(own, reader) ?? variables.pairs("OTEL_EXPORTER_OTLP_HEADERS", reader) ?? []
        return pairs.map { ($0.name, Secret($0.value)) }
    }

    private func timeout(_ signal: String) -> Duration {
        if let seconds { return .seconds(seconds) }
        let range = 1...120_000
        let own = variables.integer("OTEL_EXPORTER_OTLP_\(signal.uppercased())_TIMEOUT", in: range, reader)
        return .milliseconds(own ?? variables.integer("OTEL_EXPORTER_OTLP_TIMEOUT", in: range, reader) ?? 10_000)
    }

    /// Warns where the environment asks for a form that Postern does not write.
    func warnOfOtherProtocols() {
        for (name, known) in [
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"), ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/json"),
            ("OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "http/json"), ("OTEL_EXPORTER_OTLP_LOGS_PROTOCOL", "http/json"),
            ("OTEL_EXPORTER_OTLP_COMPRESSION", "none"),
        ] {
            guard let text = variables.text(name), text != known else { continue }
            reader.warn("\(name) is not heeded: Postern knows \(known) only")
        }
    }
}

extension ValueForm<Double> {
    /// A number from 0 to 1.
    fileprivate static let ratio = ValueForm(expected: "a number from 0 to 1", isEchoed: true) {
        $0.double.flatMap { (0...1).contains($0) ? $0 : nil }
    }
}

extension ValueForm<[String]> {
    /// Pairs `name=value`.
    fileprivate static let pairs = list(of: "pairs name=value") { (text: String) -> String? in
        OpenTelemetryVariables.pairs(text)?.count == 1 ? text : nil
    }
}
