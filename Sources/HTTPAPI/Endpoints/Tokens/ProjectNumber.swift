package import Project

/// The number that Google gives a project besides its id. SDKs show it and do not compare it.
package struct ProjectNumber: Sendable {
    private let mode: ModeRules

    package init(mode: ModeRules) { self.mode = mode }

    /// The emulator's constant in development; in production twelve digits derived from the id.
    package func text(projectID: String) -> String {
        if let number = mode.numberOfEveryProject { return number }
        let digest = sha256(projectID.utf8).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return String(100_000_000_000 + digest % 900_000_000_000)
    }
}
