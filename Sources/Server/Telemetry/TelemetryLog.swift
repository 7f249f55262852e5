import Logging
import Project
import Tracing

/// Writes the ids of the trace beside each line of a task that works for one, and hands the lines to OTLP where those are sent.
struct TelemetryLog: LogWrapper {
    var base: any LogHandler
    private let queue: ExportQueue<LogEntry>?
    private let now: @Sendable () -> Timestamp

    init(_ base: any LogHandler, queue: ExportQueue<LogEntry>?, now: @escaping @Sendable () -> Timestamp) {
        self.base = base
        self.queue = queue
        self.now = now
    }

    func log(event: LogEvent) {
        let identity = ServiceContext.current?.traceIdentity
        if let queue {
            let all = base.metadata.merging(event.metadata ?? [:]) { $1 }
            queue.offer(
                LogEntry(
                    nanoseconds: now().milliseconds &* 1_000_000,
                    level: event.level,
                    message: "\(event.message)",
                    metadata: all.map { ($0.key, "\($0.value)") }.sorted { $0.0 < $1.0 },
                    identity: identity
                )
            )
        }
        guard let identity else { return base.log(event: event) }
        var event = event
        // The names of OpenTelemetry's specification for logs in other formats than its own.
        event.metadata = (event.metadata ?? [:]).merging([
            "trace_id": "\(identity.traceID.hexadecimal)", "span_id": "\(identity.spanHexadecimal)",
        ]) { $1 }
        base.log(event: event)
    }
}
