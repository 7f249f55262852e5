import Configuration
import Foundation
import Project

/// One section's view of the settings: reads its keys, and writes down each key it reads and everything wrong with it.
///
/// A section never throws. It records a problem and goes on, so that all problems are reported together; the loader hands
/// out no settings while there is one. Every key is read whatever the others say, because a key never read is an unknown key.
struct SettingsReader {
    /// What the sections have read so far, shared by all of them.
    final class Record {
        fileprivate(set) var keys: [DocumentedKey] = []
        fileprivate(set) var problems: [SettingsProblem] = []
        fileprivate(set) var warnings: [String] = []
    }

    /// The mode in force; nil when its own value is wrong, and then no rule that depends on it is applied.
    let mode: ServerMode?
    /// The rules of the mode in force.
    var rules: ModeRules? { mode?.rules }
    /// What the server runs on.
    let surroundings: Surroundings
    let record: Record
    private let path: [String]
    private let config: ConfigReader
    private let source: SettingsSource

    init(source: SettingsSource, surroundings: Surroundings) {
        self.init(
            mode: nil,
            surroundings: surroundings,
            record: Record(),
            path: [],
            config: source.config,
            source: source
        )
    }

    private init(
        mode: ServerMode?,
        surroundings: Surroundings,
        record: Record,
        path: [String],
        config: ConfigReader,
        source: SettingsSource
    ) {
        self.mode = mode
        self.surroundings = surroundings
        self.record = record
        self.path = path
        self.config = config
        self.source = source
    }

    /// The same place in the settings, under the rules of a mode.
    func inMode(_ mode: ServerMode?) -> SettingsReader {
        SettingsReader(
            mode: mode,
            surroundings: surroundings,
            record: record,
            path: path,
            config: config,
            source: source
        )
    }

    /// The section of this name below this one.
    func section(_ name: String) -> SettingsReader {
        SettingsReader(
            mode: mode,
            surroundings: surroundings,
            record: record,
            path: path + [name],
            config: config.scoped(to: ConfigKey([name])),
            source: source
        )
    }

    /// Reads a key that may be absent. `otherwise` says in words what holds then.
    func optional<Value>(
        _ name: String,
        _ form: ValueForm<Value>,
        isSecret: Bool = false,
        otherwise: String = "none",
        _ meaning: String
    ) -> Value? {
        let key = path + [name]
        record.keys.append(
            DocumentedKey(
                name: key.joined(separator: "."),
                environmentName: SettingsSource.environmentName(key),
                expected: form.expected,
                defaultText: otherwise,
                meaning: meaning,
                isSecret: isSecret
            )
        )
        guard isSet(name) else { return nil }
        if let value = try? form.read(config, ConfigKey([name]), isSecret) { return value }
        let found = form.isEchoed && !isSecret ? config.string(forKey: ConfigKey([name])) : nil
        refuse(name, "expected \(form.expected)" + (found.map { ", found \($0.debugDescription)" } ?? ""))
        return nil
    }

    /// Reads a key that has a default. `otherwise` describes it where its value alone would not tell.
    func value<Value>(
        _ name: String,
        _ form: ValueForm<Value>,
        default fallback: Value,
        otherwise: String? = nil,
        _ meaning: String
    ) -> Value {
        optional(name, form, otherwise: otherwise ?? "`\(fallback)`", meaning) ?? fallback
    }

    /// Reads a secret.
    func secret<Value>(_ name: String, _ form: ValueForm<Value>, otherwise: String = "none", _ meaning: String) -> Secret<Value>?
    {
        optional(name, form, isSecret: true, otherwise: otherwise, meaning).map { Secret($0) }
    }

    /// Whether the file or the environment has the key, be its value right or wrong.
    func isSet(_ name: String) -> Bool {
        origin(of: name) != .absent
    }

    /// Where the key was set.
    func origin(of name: String) -> SettingsOrigin {
        source.origin(of: path + [name])
    }

    /// Records that a key already read has to be set, and why.
    func require(_ name: String, _ reason: String) {
        guard !isSet(name) else { return }
        let key = path + [name]
        let joined = key.joined(separator: ".")
        let expected = record.keys.first { $0.name == joined }.map { "expected \($0.expected), " } ?? ""
        let place = source.file.map { "set it in \($0.path) or as " } ?? "set "
        refuse(name, "missing: \(expected)\(reason); \(place)\(SettingsSource.environmentName(key))")
    }

    /// Records that keys make sense only together, when some but not all of them are set.
    func requireTogether(_ names: String...) {
        guard names.contains(where: isSet) else { return }
        let section = path.joined(separator: ".")
        for name in names {
            let others = names.filter { $0 != name }.map { "\(section).\($0)" }.joined(separator: " and ")
            require(name, "as it comes together with \(others)")
        }
    }

    /// Records what is wrong with a key.
    func refuse(_ name: String, _ message: String) {
        record.problems.append(
            SettingsProblem(subject: (path + [name]).joined(separator: "."), message: message, origin: origin(of: name))
        )
    }

    /// Records something that deserves a line in the log but does not stop the start.
    func warn(_ message: String) {
        record.warnings.append(message)
    }

    /// Warns of a file of secrets that every user of the machine may read. It stops nothing: secret stores mount theirs like that.
    func warnOfReaders(_ name: String, _ file: String?) {
        guard let file else { return }
        let place = URL(filePath: file, relativeTo: URL(filePath: surroundings.workingDirectory, directoryHint: .isDirectory))
            .path
        let mode = try? FileManager.default.attributesOfItem(atPath: place)[.posixPermissions] as? Int
        guard let mode, mode & 0o004 != 0 else { return }
        warn("\((path + [name]).joined(separator: ".")): every user of this machine may read \(file)")
    }
}

/// What defaults depend on besides the settings themselves.
package struct Surroundings: Sendable {
    /// The directory relative paths start from.
    package let workingDirectory: String
    /// The number of processors the process may use.
    package let processors: Int
    /// Whether files are taken where they usually are though no setting names them.
    var hasUsualFiles = true

    /// Describes the surroundings; the executable passes those of its process.
    package init(workingDirectory: String, processors: Int) {
        self.workingDirectory = workingDirectory
        self.processors = processors
    }
}
