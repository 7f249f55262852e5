import Project

/// One fault of the settings or of a project file.
package struct SettingsProblem: Sendable, Hashable, CustomStringConvertible {
    /// The key, or the file when no key can be named.
    package let subject: String
    /// What is wrong and what was expected. It never contains the value of a secret.
    package let message: String
    /// The origin of the value: a file with line and column, or an environment variable.
    package let origin: SettingsOrigin

    /// One line: subject, message, origin.
    package var description: String {
        switch origin {
        case .absent: "\(subject): \(message)"
        case .environment(let name): "\(subject): \(message) (environment variable \(name))"
        case .file(let place): "\(subject): \(message) (\(place))"
        }
    }
}

/// The origin of a setting.
package enum SettingsOrigin: Sendable, Hashable {
    /// Neither the file nor the environment has it.
    case absent
    /// The environment variable of this name.
    case environment(String)
    /// `FILE:LINE:COLUMN`, counted from 1.
    case file(String)
}

/// All faults of a file together, so that they can be corrected in one attempt.
package struct SettingsError: Error, Sendable, CustomStringConvertible {
    /// Never empty; in the order of the file, then of the keys.
    package let problems: [SettingsProblem]

    /// One problem per line.
    package var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}
