import Project

/// One thing wrong with the settings or with a project file.
package struct SettingsProblem: Sendable, Hashable, CustomStringConvertible {
    /// The key, or the file when no key can be named.
    package let subject: String
    /// What is wrong and what was expected; never the value of a secret.
    package let message: String
    /// Where the value came from: a file with line and column, or an environment variable.
    package let origin: SettingsOrigin

    /// One line: subject, message, place.
    package var description: String {
        switch origin {
        case .absent: "\(subject): \(message)"
        case .environment(let name): "\(subject): \(message) (environment variable \(name))"
        case .file(let place): "\(subject): \(message) (\(place))"
        }
    }
}

/// The place a setting was read from.
package enum SettingsOrigin: Sendable, Hashable {
    /// Neither the file nor the environment has it.
    case absent
    /// The environment variable of this name.
    case environment(String)
    /// `FILE:LINE:COLUMN`, counted from 1.
    case file(String)
}

/// Everything wrong with a file at once, so that one attempt shows all there is to mend.
package struct SettingsError: Error, Sendable, CustomStringConvertible {
    /// Never empty; in the order of the file, then of the keys.
    package let problems: [SettingsProblem]

    /// One problem a line.
    package var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}
