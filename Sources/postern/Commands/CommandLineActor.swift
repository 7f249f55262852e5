/// What the audit trail calls whoever works at the command line.
enum CommandLineActor {
    static let name = "cli"
}
