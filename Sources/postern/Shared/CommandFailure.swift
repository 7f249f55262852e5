/// Ends a command with a message and exit code 1, without the usage text that a wrong argument prints.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    init(_ error: any Error) { description = "\(error)" }

    init(_ description: String) { self.description = description }
}
