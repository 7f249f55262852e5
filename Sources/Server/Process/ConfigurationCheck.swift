import Project
package import Settings

/// Finds what `serve`, or the first sign-in at it, would refuse. Nothing is opened, made or called.
package enum ConfigurationCheck {
    /// Looks at the settings, the files that they name and the project file.
    ///
    /// - Returns: One line for each fault or warning. No line holds a secret.
    package static func look(_ settings: Settings, variables: [String: String]) -> (faults: [String], warnings: [String]) {
        var faults: [String] = []
        var warnings = settings.warnings + settings.gaps
        if let file = settings.project.file {
            let project = DeclaredProject.look(
                file,
                variables: variables,
                network: NetworkGuard(allowPrivateNetworks: settings.outbound.allowPrivateNetworks),
                mode: settings.mode.rules
            )
            faults += project.faults
            warnings += project.gaps.map { "project.file: \($0)" }
        }
        faults += NamedFiles.faults(of: settings)
        do {
            try StorePlace.requireDirectory(of: settings.database.location)
        } catch {
            faults.append("database.url: \(error)")
        }
        return (faults, warnings)
    }
}
