import Configuration
import Project

/// The sources of settings: the environment, then the file.
struct SettingsSource {
    /// Reads the values, the environment first.
    let config: ConfigReader
    /// The settings file; `nil` when there is none.
    let file: SettingsFile?
    /// OpenTelemetry's own variables.
    let openTelemetry: OpenTelemetryVariables
    /// The variables of Amazon's tools.
    let amazon: AmazonVariables
    private let environment: [String: String]
    private let entries: [String: SettingsFile.Entry]

    /// Opens the sources. Throws ``SettingsError`` when the file cannot be read or has a wrong structure.
    init(file path: String?, environment: [String: String], in directory: String) async throws {
        openTelemetry = OpenTelemetryVariables(environment)
        amazon = AmazonVariables(environment)
        // Compose files and shells write "not set" as an empty variable.
        let environment = environment.filter { $0.key.hasPrefix(Self.prefix) && !$0.value.isEmpty }
        let variables = EnvironmentVariablesProvider(environmentVariables: environment, secretsSpecifier: .all)
        var providers: [any ConfigProvider] = [
            KeyMappingProvider(upstream: variables) { AbsoluteConfigKey([Self.environmentName($0.components)]) }
        ]
        let file = try path.map { try SettingsFile(path: $0, in: directory) }
        if let file, file.problems.isEmpty, !file.isEmpty {
            let location = InMemoryProvider(values: [
                "filePath": ConfigValue(.string(YAMLFile.resolve(file.path, in: directory)), isSecret: false)
            ])
            providers.append(
                try await FileProvider<YAMLSnapshot>(
                    parsingOptions: .init(secretsSpecifier: .all),
                    config: ConfigReader(provider: location)
                )
            )
        }
        config = ConfigReader(providers: providers)
        self.file = file
        self.environment = environment
        entries = Dictionary((file?.entries ?? []).map { ($0.key, $0) }) { first, _ in first }
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
