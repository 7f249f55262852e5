import ArgumentParser

/// `postern audit`: shows, verifies and exports the audit trail.
struct Audit: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the audit trail, verify its chains, export it.",
        subcommands: [List.self, Verify.self, Export.self, Key.self],
        defaultSubcommand: List.self
    )
}
