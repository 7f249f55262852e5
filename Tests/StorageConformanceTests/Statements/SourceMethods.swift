import Foundation
import TestKit

/// A method of a repository as it stands in its file.
struct SourceMethod {
    /// With its labels, as in ``RepositoryCall/method``.
    let name: String
    let file: String
    /// Whether other files can call it.
    let isShared: Bool
    /// The texts of its statements: what stands between their interpolations.
    var statements: [[String]] = []

    static func all() throws -> [SourceMethod] {
        let folder = packageDirectory.appending(path: "Sources/Storage/Repositories")
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .sorted { $0.path < $1.path }
            .flatMap { file in
                var reader = SourceReader(file: file.lastPathComponent, text: try String(contentsOf: file, encoding: .utf8))
                return reader.methods()
            }
    }

    static func matches(_ statement: [String], _ text: String) -> Bool {
        var rest = Substring(text.split(whereSeparator: \.isWhitespace).joined(separator: " "))
        for part in statement {
            guard let range = rest.range(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return true
    }
}

/// Reads the methods of a file and the literals in them that are statements.
private struct SourceReader {
    private let file: String
    private let characters: [Character]
    private var index = 0
    private var found: [SourceMethod] = []

    init(file: String, text: String) {
        self.file = file
        // A line that goes on in the next one.
        characters = Array(text.replacingOccurrences(of: "\\\n", with: ""))
    }

    mutating func methods() -> [SourceMethod] {
        while index < characters.count {
            if starts("//") {
                while index < characters.count, characters[index] != "\n" { index += 1 }
            } else if characters[index] == "\"" {
                note(literal())
            } else if starts(" func ") {
                method()
            } else {
                index += 1
            }
        }
        return found
    }

    private func starts(_ text: String) -> Bool {
        characters[index...].prefix(text.count).elementsEqual(text)
    }

    private mutating func method() {
        let lineStart = characters[..<index].lastIndex(of: "\n").map { $0 + 1 } ?? 0
        let modifiers = String(characters[lineStart..<index])
        index += " func ".count
        var name = ""
        while characters[index] != "(", characters[index] != "<" {
            name.append(characters[index])
            index += 1
        }
        while characters[index] != "(" { index += 1 }
        var (depth, parameters) = (0, [""])
        repeat {
            let character = characters[index]
            if "([".contains(character) { depth += 1 }
            if ")]".contains(character) { depth -= 1 }
            if character == ",", depth == 1 { parameters.append("") } else { parameters[parameters.count - 1].append(character) }
            index += 1
        } while depth > 0
        let labels = parameters.map { parameter in
            parameter.drop { "( \n".contains($0) }.prefix { !" :)".contains($0) } + ":"
        }
        let text = labels.map(String.init).filter { $0 != ":" }.joined()
        let isShared = modifiers.contains("package") && !modifiers.contains("static")
        found.append(SourceMethod(name: "\(name)(\(text))", file: file, isShared: isShared))
    }

    private mutating func note(_ parts: [String]) {
        let parts = parts.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }.filter { !$0.isEmpty }
        // A record's table makes the beginning of a statement that begins with one of the last three.
        let verbs = ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "WITH ", "WHERE ", "ON CONFLICT ", "ORDER BY "]
        guard let first = parts.first, verbs.contains(where: { "\(first) ".hasPrefix($0) }), !found.isEmpty else { return }
        found[found.count - 1].statements.append(parts)
    }

    /// Reads a literal; what stands between its interpolations.
    private mutating func literal() -> [String] {
        let quote = starts("\"\"\"") ? "\"\"\"" : "\""
        index += quote.count
        var parts = [""]
        while index < characters.count, !starts(quote) {
            if starts("\\(") {
                index += 2
                interpolation()
                parts.append("")
            } else {
                if characters[index] == "\\" { index += 1 }
                parts[parts.count - 1].append(characters[index])
                index += 1
            }
        }
        index += quote.count
        return parts
    }

    private mutating func interpolation() {
        var depth = 1
        while depth > 0 {
            if characters[index] == "\"" {
                _ = literal()
                continue
            }
            if characters[index] == "(" { depth += 1 }
            if characters[index] == ")" { depth -= 1 }
            index += 1
        }
    }
}
