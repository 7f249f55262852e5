/// Settings.
extension ModeRules {
    /// Whether `project.id`, `project.apiKeys` and a master key must be set.
    package var needsProjectAndKeys: Bool { rule(production: true, development: false) }

    /// Whether `development.*` may be set.
    package var takesDevelopmentSettings: Bool { rule(production: false, development: true) }

    /// Whether the server listens on loopback addresses only, unless `development.allowRemote` is set.
    package var staysOnLoopback: Bool { rule(production: false, development: true) }

    /// Whether the public listener serves the console where `console.public` is not set.
    package var servesConsoleInPublic: Bool { rule(production: false, development: true) }

    /// Whether the console says that the server is for tests, and has the tools for them.
    package var hasDevelopmentTools: Bool { rule(production: false, development: true) }

    /// Whether the console shows apps the SDKs' settings for the Firebase Auth emulator, with which an SDK verifies no token.
    package var isReachedAsEmulator: Bool { rule(production: false, development: true) }

    /// Whether the first operator's invitation is printed where standard output is no terminal but a log.
    package var logsInvitations: Bool { rule(production: false, development: true) }

    /// Whether settings that expose administrators, links or codes are warned of.
    package var warnsOfExposure: Bool { rule(production: true, development: false) }

    /// Whether outgoing calls may reach private networks where `outbound.allowPrivateNetworks` is not set.
    package var reachesPrivateNetworks: Bool { rule(production: false, development: true) }

    /// Whether mail and text messages are logged where no transport is set.
    package var logsMessagesByDefault: Bool { rule(production: false, development: true) }

    /// Whether log lines are text where `log.format` is not set; otherwise they are JSON.
    package var logsTextByDefault: Bool { rule(production: false, development: true) }

    /// Whether passwords are hashed at the smallest cost where no cost of Argon2id is set.
    package var hashesCheaplyByDefault: Bool { rule(production: false, development: true) }

    /// Whether a server may keep everything in memory, and read and write directories of the emulator.
    package var mayForgetOnExit: Bool { rule(production: false, development: true) }
}
