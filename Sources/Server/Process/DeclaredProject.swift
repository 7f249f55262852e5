import Project
import Settings
package import Tenancy

/// The project file as the server and `postern config check` read it.
package enum DeclaredProject {
    /// The file has faults.
    package struct Invalid: Error, CustomStringConvertible {
        /// One line for each fault.
        package let description: String
    }

    /// Reads and checks a project file.
    ///
    /// - Throws: ``Invalid`` with the faults of its references and of its content together; `SettingsError` when it is no YAML
    ///   file.
    package static func read(_ path: String, variables: [String: String]) throws -> ProjectDeclaration {
        let (value, unresolved) = try ProjectFile.read(path: path, environment: variables)
        return try declaration(of: value, unresolved)
    }

    /// Looks a project file over as an operator wants it: also for what `serve` starts with, and a sign-in would meet first.
    static func look(
        _ path: String,
        variables: [String: String],
        network: NetworkGuard,
        mode: ModeRules
    ) -> (faults: [String], gaps: [String]) {
        let value: JSONValue
        let unresolved: [SettingsProblem]
        do { (value, unresolved) = try ProjectFile.read(path: path, environment: variables) } catch { return (["\(error)"], []) }
        let unusable = ProjectDeclaration.unusableValues(of: value, network: network, mode: mode)
        do {
            return (unusable, try declaration(of: value, unresolved).gaps)
        } catch {
            return (["\(error)"] + unusable, [])
        }
    }

    private static func declaration(of value: JSONValue, _ unresolved: [SettingsProblem]) throws -> ProjectDeclaration {
        let declaration = Result { () throws(ProjectDeclaration.Invalid) in try ProjectDeclaration(value) }
        if unresolved.isEmpty { return try declaration.get() }
        var lines = unresolved.map(\.description)
        if case .failure(let invalid) = declaration {
            // What is missing because of a reference is that reference's fault alone.
            lines += invalid.problems.filter { problem in !unresolved.contains { problem.hasPrefix($0.subject) } }
        }
        throw Invalid(description: lines.joined(separator: "\n"))
    }
}
