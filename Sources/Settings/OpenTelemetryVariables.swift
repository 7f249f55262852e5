import Foundation

/// The `OTEL_…` variables of the environment, as OpenTelemetry's specification names them.
///
/// A variable that is empty counts as not set, and one with a value that cannot be read is warned about and not heeded, both as the
/// specification demands.
struct OpenTelemetryVariables: Sendable {
    private let values: [String: String]

    /// What the names of these variables begin with.
    static let prefix = "OTEL_"

    // Real values are far below. Everything is held in memory and sent with each export.
    private static let maximumBytes = 8192

    init(_ environment: [String: String]) {
        values = environment.filter {
            $0.key.hasPrefix(Self.prefix) && !$0.value.isEmpty && $0.value.utf8.count <= Self.maximumBytes
        }
    }

    /// The text of a variable.
    func text(_ name: String) -> String? {
        values[name].flatMap { $0.isPlainText ? $0 : nil }
    }

    /// A value that `parse` reads.
    func value<Value>(_ name: String, _ reader: SettingsReader, _ expected: String, _ parse: (String) -> Value?) -> Value? {
        guard let text = values[name] else { return nil }
        if let value = parse(text) { return value }
        reader.warn("\(name) is not heeded: expected \(expected)")
        return nil
    }

    /// A whole number within bounds.
    func integer(_ name: String, in range: ClosedRange<Int>, _ reader: SettingsReader) -> Int? {
        value(name, reader, "a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// Whether a variable says `true`, in any case; every other text says no.
    func isTrue(_ name: String) -> Bool { values[name]?.lowercased() == "true" }

    /// The pairs of a list `name=value,name=value`, whose values may have escapes (W3C Baggage §3.3).
    func pairs(_ name: String, _ reader: SettingsReader) -> [(name: String, value: String)]? {
        value(name, reader, "pairs name=value, separated by commas", Self.pairs)
    }

    /// Reads such a list; `nil` when the text is no list.
    static func pairs(_ text: String) -> [(name: String, value: String)]? {
        var pairs: [(name: String, value: String)] = []
        for part in text.split(separator: ",") {
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2, let value = halves[1].trimmingPrefix(" ").removingPercentEncoding else { return nil }
            let name = halves[0].filter { $0 != " " }
            guard !name.isEmpty, name.isPlainText, value.isEmpty || value.isPlainText else { return nil }
            pairs.append((name, value))
        }
        return pairs
    }
}
