import Foundation
import Project
import Testing

@Suite("The table of modes")
struct ModeRulesTests {
    /// A rule as the table declares it.
    private struct Rule {
        let name: String
        let meaning: String
        let production: String
        let development: String

        var row: String { "| `\(name)` | \(meaning) | \(production) | \(development) |" }
    }

    private static let head = "| rule | what it decides | production | development |\n|---|---|---|---|\n"

    /// Files that may name a mode: the table, and what starts a server or keeps the stores of the two apart.
    private static let namers = ["Project/Modes/ServerMode.swift", "Tokens/KeyRing.swift", "Server/Process/Banner.swift"]

    @Test("is the page of the documentation, section by section")
    func documentation() throws {
        let page = try Self.text("Docs/Modes.md")
        var count = 0
        for file in try Self.tables() {
            let (title, rules) = try Self.section(file)
            count += rules.count
            let section = "## \(title)\n\n\(Self.head)\(rules.map { $0.row + "\n" }.joined())"
            #expect(page.contains(section), "Docs/Modes.md lacks this section:\n\(section)")
        }
        #expect(count > 0)
        #expect(page.split(separator: "\n").count { $0.hasPrefix("| `") } == count, "Docs/Modes.md has rules that do not exist")
    }

    @Test("has no rule that is the same in both modes")
    func differences() throws {
        for file in try Self.tables() {
            for rule in try Self.section(file).rules { #expect(rule.production != rule.development, "\(rule.name)") }
        }
    }

    @Test("has for each mode the values of that mode")
    func values() {
        #expect(ServerMode.production.rules.codesExpire)
        #expect(!ServerMode.development.rules.codesExpire)
        #expect(ServerMode.production.rules.numberOfEveryProject == nil)
        #expect(ServerMode.development.rules.numberOfEveryProject == "12345")
        #expect(MemoryLayout<ModeRules>.size == 1)
    }

    @Test("is the only place that tells the modes apart")
    func comparisons() throws {
        let comparison =
            /(==|!=) (ServerMode)?\.(production|development)\b|switch [\w.]*\bmode\b|case \.(production|development)\b/
        let sources = Self.package.appending(path: "Sources")
        let files = FileManager.default.enumerator(atPath: sources.path)?.compactMap { $0 as? String } ?? []
        #expect(files.contains("Project/Modes/ServerMode.swift"))
        for file in files where file.hasSuffix(".swift") && !Self.namers.contains(file) {
            let text = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
            let found = text.split(separator: "\n").filter { $0.contains(comparison) }
            #expect(found.isEmpty, "\(file) compares modes instead of asking for a rule")
        }
    }

    // A rule is its doc comment, a name, and its two values in that order; whatever else stands in the files fails the count.
    private static func section(_ file: String) throws -> (title: String, rules: [Rule]) {
        let text = try text(file)
        let title = try #require(text.firstMatch(of: /^\/\/\/ (.+)\.\n/)?.1)
        let pattern =
            /((?:    \/\/\/ .+\n)+)    package var (\w+): [\w?]+ \{\s+rule\(production: (.+?), development: (.+?)\)\s+\}/
        let codes = try errorCodes()
        let rules = text.matches(of: pattern).map { match in
            let lines = match.1.split(separator: "\n").map { $0.dropFirst("    /// ".count) }
            return Rule(
                name: String(match.2),
                meaning: lines.joined(separator: " "),
                production: shown(match.3, codes),
                development: shown(match.4, codes)
            )
        }
        #expect(rules.count == text.split(separator: "package var").count - 1, "\(file)")
        return (String(title), rules)
    }

    private static func shown(_ value: Substring, _ codes: [String: String]) -> String {
        switch value {
        case "true": "yes"
        case "false": "no"
        case "nil": "—"
        case _ where value.hasPrefix("."): "`\(codes[String(value.dropFirst())] ?? String(value))`"
        default: "`\(value.replacing("\"", with: ""))`"
        }
    }

    private static func errorCodes() throws -> [String: String] {
        let cases = try text("Sources/Project/ErrorCode.swift").matches(of: /case (\w+) = "(.+)"/)
        return Dictionary(cases.map { (String($0.1), String($0.2)) }) { first, _ in first }
    }

    private static func tables() throws -> [String] {
        let folder = "Sources/Project/Modes"
        let files = try FileManager.default.contentsOfDirectory(atPath: package.appending(path: folder).path)
        return files.filter { $0.hasPrefix("ModeRules+") }.sorted().map { "\(folder)/\($0)" }
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: package.appending(path: path), encoding: .utf8)
    }

    private static var package: URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    }
}
