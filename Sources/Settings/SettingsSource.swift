import Foundation
import Project
import Yams

/// The sources of settings: the environment, then the file.
struct SettingsSource {
    /// The settings file; `nil` when there is none.
    let file: SettingsFile?
    /// OpenTelemetry's own variables.
    let openTelemetry: OpenTelemetryVariables
    /// The variables of Amazon's tools.
    let amazon: AmazonVariables
    private let environment: [String: String]
    private let entries: [String: SettingsFile.Entry]

    /// Opens the sources. Throws ``SettingsError`` when the file cannot be read or is no YAML document.
    init(file path: String?, environment: [String: String], in directory: String) throws {
        openTelemetry = OpenTelemetryVariables(environment)
        amazon = AmazonVariables(environment)
        // Compose files and shells write "not set" as an empty variable.
        self.environment = environment.filter { $0.key.hasPrefix(Self.prefix) && !$0.value.isEmpty }
        file = try path.map { try SettingsFile(path: $0, in: directory) }
        entries = Dictionary((file?.entries ?? []).map { ($0.key, $0) }) { first, _ in first }
    }

    /// The key's value as it is written; `nil` when the key is absent.
    func value(of key: [String]) -> WrittenValue? {
        if let text = environment[Self.environmentName(key)] { return .variable(text) }
        return entries[key.joined(separator: ".")].map { .node($0.node) }
    }

    /// The origin of the key's value. A null in the file counts as absent.
    func origin(of key: [String]) -> SettingsOrigin {
        let name = Self.environmentName(key)
        if environment[name] != nil { return .environment(name) }
        guard let entry = entries[key.joined(separator: ".")], entry.kind != .null else { return .absent }
        return entry.origin
    }

    /// The names of set `POSTERN_…` variables that belong to no key, sorted.
    func unknownVariables(known: Set<String>) -> [String] {
        environment.keys.filter { !known.contains($0) }.sorted()
    }

    private static let prefix = "POSTERN_"

    /// `POSTERN_` and the key in upper snake case: `endpoints.githubAPI` is `POSTERN_ENDPOINTS_GITHUB_API`.
    static func environmentName(_ key: [String]) -> String {
        prefix + key.map(upperSnakeCase).joined(separator: "_")
    }

    private static func upperSnakeCase(_ word: String) -> String {
        var result = ""
        var previous: Character?
        for character in word {
            // Consecutive capitals (URL, API, TLS) stay together.
            if character.isUppercase, let previous, !previous.isUppercase { result += "_" }
            result += character.isLetter || character.isNumber ? character.uppercased() : "_"
            previous = character
        }
        return result
    }
}

/// The value of a key as it is written. Each property is `nil` where the value is of another type.
enum WrittenValue {
    /// The text of a variable.
    case variable(String)
    /// What the file has.
    case node(Node)

    var string: String? {
        switch self {
        case .variable(let text): text
        case .node(let node): node.scalar?.string
        }
    }

    var integer: Int? {
        switch self {
        case .variable(let text): Int(text)
        case .node(let node): node.scalar.flatMap(Int.construct)
        }
    }

    var double: Double? {
        switch self {
        case .variable(let text): Double(text)
        case .node(let node): node.scalar.flatMap(Double.construct)
        }
    }

    var bool: Bool? {
        switch self {
        case .variable(let text):
            switch text.lowercased() {
            case "true", "yes", "1": true
            case "false", "no", "0": false
            default: nil
            }
        case .node(let node): node.scalar.flatMap(Bool.construct)
        }
    }

    /// A list. In a variable commas separate the items.
    var list: [String]? {
        switch self {
        case .variable(let text):
            text.split(separator: ",", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespacesAndNewlines)
            }
        case .node(let node): node.sequence?.compactMap { $0.scalar?.string }
        }
    }
}
