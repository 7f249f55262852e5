import Project

/// Lines for people beside the output of a command.
enum StandardError {
    static func write(_ line: String) { StandardStream.error.write("\(line)\n") }
}
