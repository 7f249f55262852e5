import Foundation
import Passwords

/// A password on standard input: one line. It is never an argument, because other users of the machine can see arguments.
enum PasswordInput {
    private static let newline = UInt8(ascii: "\n")

    /// Reads the line.
    ///
    /// - Returns: The line without its end.
    /// - Throws: ``CommandFailure`` for a line that is empty, longer than Postern hashes, or not UTF-8.
    static func line() throws -> String {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1024)
        while bytes.count <= PasswordHasher.maximumPasswordBytes + 2, !bytes.contains(newline) {
            let count = read(STDIN_FILENO, &piece, piece.count)
            guard count > 0 else { break }
            bytes += piece.prefix(count)
        }
        bytes = Array(bytes.prefix { $0 != newline })
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.isEmpty else { throw CommandFailure("standard input has no password") }
        guard bytes.count <= PasswordHasher.maximumPasswordBytes else {
            throw CommandFailure("the password is longer than \(PasswordHasher.maximumPasswordBytes) bytes")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure("the password is not UTF-8 text")
        }
        return text
    }
}
