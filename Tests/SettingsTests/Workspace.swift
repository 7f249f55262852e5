import Foundation
import Project

@testable import Settings

/// A directory for one test, with the files of a server in it.
struct Workspace: ~Copyable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    var surroundings: Surroundings { Surroundings(workingDirectory: path, processors: 3) }

    func write(_ text: String, to name: String) throws {
        try write(Data(text.utf8), to: name)
    }

    func write(_ data: Data, to name: String) throws {
        let url = URL(filePath: path).appending(path: name)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url)
    }

    /// Loads `settings.yaml` with this text, or the environment alone.
    func load(_ yaml: String?, _ environment: [String: String] = [:]) async throws -> Settings {
        if let yaml { try write(yaml, to: "settings.yaml") }
        return try SettingsLoader.load(
            file: yaml == nil ? nil : "settings.yaml",
            environment: environment,
            surroundings: surroundings
        )
    }

    /// The lines of the error that loading throws; empty when it does not.
    func problems(_ yaml: String?, _ environment: [String: String] = [:]) async throws -> [String] {
        do {
            _ = try await load(yaml, environment)
            return []
        } catch let error as SettingsError {
            return error.description.split(separator: "\n").map(String.init)
        }
    }

    /// Loads `project.yaml` with this text.
    func project(_ yaml: String, _ environment: [String: String] = [:]) throws -> JSONValue {
        try write(yaml, to: "project.yaml")
        let (value, problems) = try ProjectFile.read(path: "project.yaml", environment: environment, surroundings: surroundings)
        guard problems.isEmpty else { throw SettingsError(problems: problems) }
        return value
    }

    /// The lines of the error that loading a project file throws; empty when it does not.
    func projectProblems(_ yaml: String, _ environment: [String: String] = [:]) throws -> [String] {
        do {
            _ = try project(yaml, environment)
            return []
        } catch let error as SettingsError {
            return error.description.split(separator: "\n").map(String.init)
        }
    }
}

/// The settings that production requires.
let productionEnvironment = [
    "POSTERN_PROJECT_ID": "example-project",
    "POSTERN_PROJECT_API_KEYS": "key-one,key-two",
    "POSTERN_SECRETS_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
]
