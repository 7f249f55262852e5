import Foundation
package import Logging
import Project
package import Settings

/// Writes one line per event to standard error, as text or as JSON; nothing in an event can begin a line of its own (OPS-05).
struct LineLog: LogHandler {
    let label: String
    let format: LogSettings.Format
    let now: @Sendable () -> Timestamp
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    init(label: String, settings: LogSettings, now: @escaping @Sendable () -> Timestamp) {
        self.label = label
        format = settings.format
        logLevel = settings.level
        self.now = now
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let line = line(event.level, "\(event.message)", metadata.merging(event.metadata ?? [:]) { $1 })
        LogWriter.shared.write(line) { self.line(.warning, "lines of the log were lost", ["lines": "\($0)"]) }
    }

    private func line(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata) -> String {
        switch format {
        case .text: text(level, message, metadata)
        case .json: json(level, message, metadata)
        }
    }

    private func text(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata) -> String {
        let details = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\(Self.escaped("\($0.value)"))" }.joined()
        return "\(now().rfc3339) \(level) \(Self.escaped(message))\(details)"
    }

    private func json(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata) -> String {
        let members: JSONObject = [
            "time": .string(now().rfc3339), "level": .string(level.rawValue), "message": .string(message),
        ]
        // Members of the line itself replace metadata of the same name.
        return JSONValue.object(JSONObject(naming: metadata.map { ($0, .string("\($1)")) }).merging(members) { $1 }).text
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            let isControl = scalar.properties.generalCategory == .control || scalar == "\u{2028}" || scalar == "\u{2029}"
            escaped += isControl ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
        }
        return escaped
    }
}

extension Logger {
    /// A logger that writes to standard error as the settings say.
    package init(_ settings: LogSettings) {
        self.init(label: "postern") { LineLog(label: $0, settings: settings, now: ServerEnvironment.systemClock) }
    }
}
