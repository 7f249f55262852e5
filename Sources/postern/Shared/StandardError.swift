import Foundation

/// Lines for people beside the output of a command.
enum StandardError {
    /// Writes a line.
    static func write(_ line: String) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }
}
