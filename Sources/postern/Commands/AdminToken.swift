import ArgumentParser
import Project

/// `postern admin-token`: prints a fresh random token fit for `admin.token`.
struct AdminToken: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin-token",
        abstract: "Print a fresh random token for admin.token."
    )

    func run() {
        print(Base64URL.encode(ServerEnvironment.systemRandomness(32)))
    }
}
