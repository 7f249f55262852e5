import Foundation
import Project

/// Shows the progress of a command in a line on standard error, if that is a terminal.
struct ProgressLine {
    private let isTerminal = isatty(STDERR_FILENO) == 1

    private static let width = 30

    /// Shows a bar.
    ///
    /// - Parameter share: From 0 to 1; `nil` when it is unknown.
    func show(_ share: Double?, _ text: String) {
        guard isTerminal else { return }
        let done = Int(min(max(share ?? 0, 0), 1) * Double(Self.width))
        let bar = share == nil ? "" : String(repeating: "█", count: done) + String(repeating: "░", count: Self.width - done) + " "
        write("\r\u{1b}[2K\(bar)\(text)")
    }

    func end() { if isTerminal { write("\r\u{1b}[2K") } }

    private func write(_ text: String) { StandardStream.error.write(text) }
}
