package import Logging
import Project

/// `log.*`: the server's log.
package struct LogSettings: Sendable {
    package enum Format: String, Sendable, CaseIterable {
        /// Text for people.
        case text
        /// One JSON object per line.
        case json
    }

    /// The least severe level that is written.
    package let level: Logger.Level
    package let format: Format

    init(_ reader: SettingsReader) {
        level = reader.value("level", .word, default: .info, "least severe level that is written")
        format = reader.value(
            "format",
            .word,
            default: reader.rules?.logsTextByDefault == true ? .text : .json,
            otherwise: "`text` in development, `json` in production",
            "how a log line looks"
        )
    }
}

/// `metrics.*`: the numbers for a monitor.
package struct MetricsSettings: Sendable {
    /// Whether `/metrics` is served.
    package let enabled: Bool

    init(_ reader: SettingsReader) {
        enabled = reader.value(
            "enabled",
            .boolean,
            default: true,
            "Prometheus text at `/metrics`: on the admin listener if there is one, else on the main one with the admin token"
        )
    }
}
