import Foundation
import Passwords
import Project

/// A password on standard input: one line. It is never an argument, because other users of the machine can see arguments.
enum PasswordInput {
    private static let newline = UInt8(ascii: "\n")
    /// Ctrl-C, which a terminal that shows nothing hands over as a byte.
    private static let interrupt: UInt8 = 3

    /// Reads the line. A terminal is asked, and shows nothing of what is typed.
    ///
    /// - Returns: The line without its end.
    static func line() throws -> String {
        var bytes = withoutEcho(typed)
        bytes = Array(bytes.prefix { $0 != newline })
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.isEmpty else { throw CommandFailure("standard input has no password") }
        guard !bytes.contains(interrupt) else { throw CommandFailure("nothing was done") }
        guard bytes.count <= PasswordHasher.maximumPasswordBytes else {
            throw CommandFailure("the password is longer than \(PasswordHasher.maximumPasswordBytes) bytes")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure("the password is not UTF-8 text")
        }
        return text
    }

    private static func typed() -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1024)
        while bytes.count <= PasswordHasher.maximumPasswordBytes + 2, !bytes.contains(newline) {
            let count = read(STDIN_FILENO, &piece, piece.count)
            guard count > 0 else { break }
            bytes += piece.prefix(count)
        }
        return bytes
    }

    // Signals of the keyboard are off while nothing is shown, so that the terminal is never left in that state.
    private static func withoutEcho(_ body: () -> [UInt8]) -> [UInt8] {
        var usual = termios()
        guard isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &usual) == 0 else { return body() }
        var silent = usual
        silent.c_lflag &= ~tcflag_t(ECHO | ISIG)
        StandardStream.error.write("Password: ")
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &usual)
            StandardStream.error.write("\n")
        }
        return body()
    }
}
