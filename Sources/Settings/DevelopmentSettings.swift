import Project

/// `development.*`: options of development mode. Production refuses to start with any of them (threat EMU-01).
package struct DevelopmentSettings: Sendable {
    /// Whether development mode may listen beyond this machine.
    package let allowRemote: Bool
    /// Whether ID tokens are signed in development mode as in production.
    package let signTokens: Bool
    /// Whether development mode verifies credentials that configured providers signed.
    package let verifyCredentials: Bool
    /// Whether development mode refuses projects other than `project.id`.
    package let singleProject: Bool
    /// The directory of the console's seed sets; `nil` for `seeds` beside the database.
    package let seeds: String?

    init(_ reader: SettingsReader) {
        allowRemote = reader.value(
            "allowRemote",
            .boolean,
            default: false,
            "let development mode bind an address that others can reach"
        )
        signTokens = reader.value(
            "signTokens",
            .boolean,
            default: false,
            "sign ID tokens in development mode as production does"
        )
        verifyCredentials = reader.value(
            "verifyCredentials",
            .boolean,
            default: false,
            "verify in development mode what configured providers signed, as production does, instead of taking it at its word"
        )
        singleProject = reader.value(
            "singleProject",
            .boolean,
            default: false,
            "refuse other projects than `project.id` in development mode, as the emulator's single project mode does"
        )
        seeds = reader.optional(
            "seeds",
            .text("the path of a directory") { $0.isPlainText ? $0 : nil },
            otherwise: "`seeds` beside the database",
            "where the console keeps sets of users to begin from"
        )
        guard reader.rules?.takesDevelopmentSettings == false else { return }
        for name in ["allowRemote", "signTokens", "verifyCredentials", "singleProject", "seeds"] where reader.isSet(name) {
            reader.refuse(name, "not allowed when mode is production")
        }
    }
}
