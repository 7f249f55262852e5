/// The actor of commands in the audit trail.
enum CommandLineActor {
    static let name = "cli"
}
