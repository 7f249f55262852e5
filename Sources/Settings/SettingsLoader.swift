import Foundation
import Project

/// Reads the server's settings: a YAML file, overridden key by key by the environment.
package enum SettingsLoader {
    /// Reads and checks all settings.
    ///
    /// - Parameters:
    ///   - file: `nil` to read only the environment. A named file must exist.
    ///   - environment: A variable `POSTERN_` with the key in upper snake case overrides the file.
    package static func load(
        file: String?,
        environment: [String: String],
        surroundings: Surroundings = .ofProcess
    ) throws -> Settings {
        let source = try SettingsSource(file: file, environment: environment, in: surroundings.workingDirectory)
        let reader = SettingsReader(source: source, surroundings: surroundings)
        let settings = Settings(reader, source: source)

        var problems = [SettingsProblem]()
        if let file = source.file {
            problems = file.problems + unknownKeys(in: file, known: reader.record.keys)
        }
        // In a file of a wrong structure the problems of keys are meaningless.
        if source.file?.problems.isEmpty ?? true { problems += reader.record.problems }
        guard problems.isEmpty else { throw SettingsError(problems: problems) }
        return settings
    }

    /// Keys of the file that no section reads.
    private static func unknownKeys(in file: SettingsFile, known: [DocumentedKey]) -> [SettingsProblem] {
        let keys = Dictionary(known.map { ($0.name, $0) }) { first, _ in first }
        return file.entries.compactMap { entry in
            if keys[entry.key] != nil { return nil }
            let isSection = known.contains { $0.name.hasPrefix(entry.key + ".") }
            if isSection, entry.kind == .null || entry.kind == .emptyMap { return nil }
            let message =
                isSection
                ? "expected a section with \(names(below: entry.key, known))"
                : "unknown key, expected \(expectation(around: entry.key, keys, known))"
            return SettingsProblem(subject: entry.key, message: message, origin: entry.origin)
        }
    }

    /// The possible names in place of an unknown key: those of the innermost section that exists.
    private static func expectation(around key: String, _ keys: [String: DocumentedKey], _ known: [DocumentedKey]) -> String {
        var parent = key.split(separator: ".", omittingEmptySubsequences: false).dropLast()
        while !parent.isEmpty {
            let name = parent.joined(separator: ".")
            if let value = keys[name] { return "\(value.expected) for \(name)" }
            let names = names(below: name, known)
            if !names.isEmpty { return "one of \(names) in \(name)" }
            parent = parent.dropLast()
        }
        return "one of \(names(below: nil, known))"
    }

    private static func names(below section: String?, _ known: [DocumentedKey]) -> String {
        let prefix = section.map { $0 + "." } ?? ""
        var names: [String] = []
        for key in known where key.name.hasPrefix(prefix) {
            let name = String(key.name.dropFirst(prefix.count).prefix { $0 != "." })
            if !names.contains(name) { names.append(name) }
        }
        return names.joined(separator: ", ")
    }
}

extension Surroundings {
    package static var ofProcess: Surroundings {
        Surroundings(
            workingDirectory: FileManager.default.currentDirectoryPath,
            processors: ProcessInfo.processInfo.activeProcessorCount
        )
    }

    /// These surroundings for a server that reads no files at default paths.
    package var withoutUsualFiles: Surroundings {
        var surroundings = self
        surroundings.hasUsualFiles = false
        return surroundings
    }
}
