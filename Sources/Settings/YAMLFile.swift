import Foundation
import Project
import Yams

/// A YAML file: its one document, or an error with file, line and column.
///
/// The parser's own messages quote the text around an error, which may be a secret. Only position and reason are passed on.
struct YAMLFile {
    /// Settings are a few kilobytes. The limit keeps a wrong file (a log, a database) from being loaded.
    static let maxBytes = 1 << 20

    /// The path as it was given.
    let path: String
    /// The root node; `nil` for a file without content.
    let root: Node?

    /// Throws ``SettingsError`` for a file that is missing, empty, too large, not UTF-8 or not one YAML document.
    init(path: String, in directory: String) throws {
        self.path = path
        let text = try Self.text(of: path, in: directory, limit: Self.maxBytes)
        do {
            root = try Parser(yaml: text).singleRoot()
        } catch let error as YamlError {
            throw SettingsError(problems: [Self.problem(error, path: path, text: text)])
        }
    }

    /// The position of a node, as `FILE:LINE:COLUMN`.
    func place(_ node: Node) -> SettingsOrigin {
        .file(node.mark.map { "\(path):\($0.line):\($0.column)" } ?? path)
    }

    /// Reads a small UTF-8 file. A relative path starts at the directory. Throws ``SettingsError``.
    static func text(of path: String, in directory: String, limit: Int) throws -> String {
        func failure(_ message: String) -> SettingsError {
            SettingsError(problems: [SettingsProblem(subject: path, message: message, origin: .absent)])
        }
        let full = resolve(path, in: directory)
        guard let handle = FileHandle(forReadingAtPath: full) else {
            throw failure(FileManager.default.fileExists(atPath: full) ? "cannot be read" : "no such file")
        }
        defer { try? handle.close() }
        guard let data = try? handle.read(upToCount: limit + 1) ?? Data() else {
            throw failure("cannot be read")
        }
        guard data.count <= limit else { throw failure("is larger than \(limit) bytes") }
        guard !data.isEmpty else { throw failure("is empty") }
        guard let text = String(data: data, encoding: .utf8) else { throw failure("is not UTF-8 text") }
        return text
    }

    /// The absolute path. A relative one starts at the directory.
    static func resolve(_ path: String, in directory: String) -> String {
        path.hasPrefix("/") ? path : "\(directory)/\(path)"
    }

    private static func problem(_ error: YamlError, path: String, text: String) -> SettingsProblem {
        func at(_ mark: Mark) -> SettingsOrigin { .file("\(path):\(mark.line):\(mark.column)") }
        switch error {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            // Both texts are the parser's own. Only the arguments, which are left out here, contain text of the file.
            let reason = [context?.text, problem].compactMap(\.self).joined(separator: ", ")
            return SettingsProblem(subject: path, message: "malformed YAML: \(reason)", origin: at(mark))
        case .duplicatedKeysInMapping(let duplicates, let context):
            let keys = duplicates.sorted().joined(separator: ", ")
            return SettingsProblem(subject: path, message: "written twice in one map: \(keys)", origin: at(context.mark))
        case .reader(let problem, let offset, _, _):
            let before = text.prefix(offset ?? 0)
            let line = before.count { $0.isNewline } + 1
            let column = before.reversed().prefix { !$0.isNewline }.count + 1
            return SettingsProblem(
                subject: path,
                message: "malformed YAML: \(problem)",
                origin: .file("\(path):\(line):\(column)")
            )
        default:
            return SettingsProblem(subject: path, message: "malformed YAML", origin: .file(path))
        }
    }
}
