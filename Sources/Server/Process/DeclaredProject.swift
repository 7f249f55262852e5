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
    /// - Parameters:
    ///   - path: The file.
    ///   - variables: The environment, for `{env: NAME}`.
    /// - Returns: What it declares.
    /// - Throws: ``Invalid`` with the faults of its references and of its content together; `SettingsError` when it is no YAML file.
    package static func read(_ path: String, variables: [String: String]) throws -> ProjectDeclaration {
        let (value, unresolved) = try ProjectFile.read(path: path, environment: variables)
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
