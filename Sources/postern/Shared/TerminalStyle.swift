import Foundation

/// Colours for people at a terminal. Pipes, files and everybody who sets `NO_COLOR` get plain text (no-color.org).
struct TerminalStyle {
    /// How a text is shown (ECMA-48 SGR).
    enum Look: String {
        case bold = "1"
        case good = "32"
        case doubtful = "33"
        case bad = "31"
    }

    /// Nothing is coloured.
    static let plain = TerminalStyle(isColoured: false)

    /// What standard output takes.
    static var output: TerminalStyle {
        TerminalStyle(isTerminal: isatty(STDOUT_FILENO) == 1, environment: ProcessInfo.processInfo.environment)
    }

    private let isColoured: Bool

    init(isColoured: Bool) { self.isColoured = isColoured }

    /// - Parameter environment: The variables of the process: `NO_COLOR` that is not empty, and `TERM=dumb`, switch colours off.
    init(isTerminal: Bool, environment: [String: String]) {
        isColoured = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    func show(_ text: String, _ look: Look?) -> String {
        guard isColoured, let look else { return text }
        return "\u{1b}[\(look.rawValue)m\(text)\u{1b}[0m"
    }
}
