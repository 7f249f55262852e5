import CoreMetrics
import Foundation
import Logging
import NIOSSL
import Project
import Settings

/// What this process sends to an OpenTelemetry collector: made from the settings, and handed to the parts that it watches.
struct Telemetry: Sendable {
    private let settings: TelemetrySettings
    private let spans: ExportQueue<OTLPSpan.Finished>
    private let records: ExportQueue<LogEntry>
    private let tls: TLSConfiguration
    private let document: OTLPDocument
    private let now: @Sendable () -> Timestamp
    private let start: Timestamp
    // Outages of a collector are not told to the collector.
    private let logger: Logger
    /// How requests are traced; `nil` when they are not.
    let tracing: RequestTracing?

    /// Prepares everything; `nil` when nothing is to be sent. Nothing is sent before ``service(metrics:)`` runs.
    init?(_ settings: Settings, environment: ServerEnvironment, logger: Logger) throws {
        guard settings.telemetry.isOn else { return nil }
        self.settings = settings.telemetry
        self.logger = logger
        now = environment.now
        start = environment.now()
        let (metrics, telemetry) = (environment.metrics, settings.telemetry)
        spans = Self.queue("traces", telemetry.spanQueue, metrics)
        records = Self.queue("logs", telemetry.logQueue, metrics)
        tracing = telemetry.traces.map { [spans] _ in
            RequestTracing(
                tracer: OTLPTracer(
                    sampler: TraceSampler(telemetry.sampler, random: environment.random),
                    queue: spans
                ),
                trusted: settings.server.trustedProxies,
                trustsAll: telemetry.trustsCallers
            )
        }
        var tls = TLSConfiguration.makeClientConfiguration()
        if let file = settings.outbound.caFile { tls.additionalTrustRoots = [.certificates(try LiveHTTP.roots(file))] }
        self.tls = tls
        document = OTLPDocument(
            resource: telemetry.resource + [
                ("service.version", Release.version), ("service.instance.id", UUID().uuidString.lowercased()),
                ("telemetry.sdk.name", "postern"), ("telemetry.sdk.language", "swift"),
                ("telemetry.sdk.version", Release.version),
            ]
        )
    }

    /// A logger that writes what another one writes, with the ids of traces, and sends it where logs are sent.
    func logger(around logger: Logger) -> Logger {
        var watched = logger
        watched.handler = TelemetryLog(logger.handler, queue: settings.logs == nil ? nil : records, now: now)
        return watched
    }

    /// The service that sends everything.
    func service(metrics: MetricsCollector) -> TelemetryService {
        var exports: [TelemetryService.Export] = []
        if let traces = settings.traces {
            let sender = OTLPSender("traces", to: traces, logger: logger)
            exports.append(.entries(of: spans, every: settings.spanQueue.delay, by: sender) { [document] in document.traces($0) })
        }
        if let logs = settings.logs {
            let sender = OTLPSender("logs", to: logs, logger: logger)
            exports.append(.entries(of: records, every: settings.logQueue.delay, by: sender) { [document] in document.logs($0) })
        }
        if let destination = settings.metrics {
            let sender = OTLPSender("metrics", to: destination, logger: logger)
            exports.append(
                .snapshots(every: settings.metricsInterval, by: sender) { [document, start, now] in
                    document.metrics(await metrics.families(), since: start, at: now())
                }
            )
        }
        return TelemetryService(exports, tls: tls)
    }

    private static func queue<Entry: Sendable>(
        _ signal: String,
        _ bounds: TelemetrySettings.Queue,
        _ metrics: any MetricsFactory
    ) -> ExportQueue<Entry> {
        let dropped = Counter(label: "postern_telemetry_dropped_total", dimensions: [("signal", signal)], factory: metrics)
        return ExportQueue(size: bounds.size, batch: bounds.batch) { dropped.increment(by: $0) }
    }
}
