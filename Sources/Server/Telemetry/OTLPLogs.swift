import Logging
import Project

/// A line of the log that waits to be sent.
struct LogEntry: Sendable {
    let nanoseconds: Int64
    let level: Logger.Level
    let message: String
    let metadata: [(name: String, value: String)]
    let identity: TraceIdentity?
}

extension OTLPDocument {
    /// `ExportLogsServiceRequest`.
    func logs(_ entries: [LogEntry]) -> [UInt8] {
        serialized("resourceLogs", "scopeLogs", "logRecords", entries.map(Self.record))
    }

    private static func record(_ entry: LogEntry) -> JSONValue {
        var value: JSONObject = [
            "timeUnixNano": integer(entry.nanoseconds), "observedTimeUnixNano": integer(entry.nanoseconds),
            "severityNumber": .integer(severity(entry.level)), "severityText": .string(entry.level.rawValue),
            "body": attribute("", .string(entry.message))["value"] ?? [:],
            "attributes": .array(entry.metadata.map { attribute($0.name, .string($0.value)) }),
        ]
        if let identity = entry.identity {
            value["traceId"] = .string(identity.traceID.hexadecimal)
            value["spanId"] = .string(identity.spanHexadecimal)
            value["flags"] = .integer(identity.isSampled ? 1 : 0)
        }
        return .object(value)
    }

    // OpenTelemetry Logs Data Model, "Mapping of SeverityNumber".
    private static func severity(_ level: Logger.Level) -> Int64 {
        switch level {
        case .trace: 1
        case .debug: 5
        case .info: 9
        case .notice: 10
        case .warning: 13
        case .error: 17
        case .critical: 21
        }
    }
}
