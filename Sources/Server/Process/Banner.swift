import Project
import Settings

/// The text on the terminal when the server has started.
enum Banner {
    /// Prints where the server listens and, in development, a line to paste into a shell.
    static func show(_ settings: Settings, port: Int) {
        let url = settings.server.publicURL(boundTo: port).text
        var lines = ["Postern serves project \(settings.project.id) in \(settings.mode.rawValue) mode at \(url)"]
        if settings.mode == .development {
            lines += [
                "DEVELOPMENT MODE: unsigned credentials are accepted and `Bearer owner` is an administrator. Never expose it.",
                "Try it:",
                "  curl -s '\(url)/v1/accounts:signUp?key=demo' -H 'Content-Type: application/json' -d '{}'",
            ]
        }
        StandardStream.output.write(lines.joined(separator: "\n") + "\n")
    }

    /// Prints the link that makes the first operator of the console.
    static func show(invitation link: String) {
        StandardStream.output.write(
            "The console has no operator yet. This link makes the first one, once, within 30 minutes:\n  \(link)\n"
        )
    }
}
