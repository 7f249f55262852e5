import Foundation
import Project

/// Reads the keys of one section, and records each key and every fault.
///
/// A section never throws. It records a problem and continues, so that all problems are reported together; the loader returns no
/// settings if there is a problem. Every key is read in any case, because a key that is never read counts as unknown.
struct SettingsReader {
    /// The keys and problems that all sections have recorded so far.
    final class Record {
        fileprivate(set) var keys: [DocumentedKey] = []
        fileprivate(set) var problems: [SettingsProblem] = []
        fileprivate(set) var warnings: [String] = []
    }

    /// The mode; `nil` when its own value is wrong. Rules that depend on the mode are then not applied.
    let mode: ServerMode?
    /// The rules of the mode in force.
    var rules: ModeRules? { mode?.rules }
    /// The facts about the machine that defaults depend on.
    let surroundings: Surroundings
    let record: Record
    private let path: [String]
    private let source: SettingsSource

    init(source: SettingsSource, surroundings: Surroundings) {
        self.init(mode: nil, surroundings: surroundings, record: Record(), path: [], source: source)
    }

    private init(
        mode: ServerMode?,
        surroundings: Surroundings,
        record: Record,
        path: [String],
        source: SettingsSource
    ) {
        self.mode = mode
        self.surroundings = surroundings
        self.record = record
        self.path = path
        self.source = source
    }

    /// This reader with the rules of a mode.
    func inMode(_ mode: ServerMode?) -> SettingsReader {
        SettingsReader(mode: mode, surroundings: surroundings, record: record, path: path, source: source)
    }

    /// The reader of a section below this one.
    func section(_ name: String) -> SettingsReader {
        SettingsReader(mode: mode, surroundings: surroundings, record: record, path: path + [name], source: source)
    }

    /// Reads a key that may be absent. `otherwise` describes the behaviour without it.
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
        guard isSet(name), let written = source.value(of: key) else { return nil }
        if let value = form.read(written) { return value }
        let found = form.isEchoed && !isSecret ? written.string : nil
        refuse(name, "expected \(form.expected)" + (found.map { ", found \($0.debugDescription)" } ?? ""))
        return nil
    }

    /// Reads a key that has a default. `otherwise` describes the default when its value is not clear enough.
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

    /// Whether the file or the environment has the key, with a right or a wrong value.
    func isSet(_ name: String) -> Bool {
        origin(of: name) != .absent
    }

    /// The origin of the key's value.
    func origin(of name: String) -> SettingsOrigin {
        source.origin(of: path + [name])
    }

    /// Records that a key already read must be set, and why.
    func require(_ name: String, _ reason: String) {
        guard !isSet(name) else { return }
        let key = path + [name]
        let joined = key.joined(separator: ".")
        let expected = record.keys.first { $0.name == joined }.map { "expected \($0.expected), " } ?? ""
        let place = source.file.map { "set it in \($0.path) or as " } ?? "set "
        refuse(name, "missing: \(expected)\(reason); \(place)\(SettingsSource.environmentName(key))")
    }

    /// Records a problem when only some of the keys that belong together are set.
    func requireTogether(_ names: String...) {
        guard names.contains(where: isSet) else { return }
        let section = path.joined(separator: ".")
        for name in names {
            let others = names.filter { $0 != name }.map { "\(section).\($0)" }.joined(separator: " and ")
            require(name, "as it comes together with \(others)")
        }
    }

    /// Records a problem of a key.
    func refuse(_ name: String, _ message: String) {
        record.problems.append(
            SettingsProblem(subject: (path + [name]).joined(separator: "."), message: message, origin: origin(of: name))
        )
    }

    /// Records a warning for the log. It does not stop the start.
    func warn(_ message: String) {
        record.warnings.append(message)
    }

    /// Warns about a file of secrets that every user of the machine may read. It stays a warning, because secret stores mount
    /// files like that.
    func warnOfReaders(_ name: String, _ file: String?) {
        guard let file else { return }
        let place = URL(filePath: file, relativeTo: URL(filePath: surroundings.workingDirectory, directoryHint: .isDirectory))
            .path
        let mode = try? FileManager.default.attributesOfItem(atPath: place)[.posixPermissions] as? Int
        guard let mode, mode & 0o004 != 0 else { return }
        warn("\((path + [name]).joined(separator: ".")): every user of this machine may read \(file)")
    }
}

/// The facts besides the settings that defaults depend on.
package struct Surroundings: Sendable {
    /// The directory that relative paths start from.
    package let workingDirectory: String
    /// The number of processors the process may use.
    package let processors: Int
    /// Whether files at default paths are read although no setting names them.
    var hasUsualFiles = true

    /// Makes surroundings. The executable passes those of its process.
    package init(workingDirectory: String, processors: Int) {
        self.workingDirectory = workingDirectory
        self.processors = processors
    }
}
