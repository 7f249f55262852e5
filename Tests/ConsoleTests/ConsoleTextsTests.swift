import Accounts
import Foundation
import Messaging
import TestKit
import Testing

@testable import Console

@Suite("Texts of the console")
struct ConsoleTextsTests {
    private static func file(_ language: EmailLanguage) throws -> [String: String] {
        try JSONDecoder().decode(ConsoleTextFile.self, from: Data(ConsoleTextFile.file(language))).texts
    }

    @Test("every language has the same keys as English, and no text is empty", arguments: EmailLanguage.allCases)
    func sameKeys(language: EmailLanguage) throws {
        let (own, english) = (try Self.file(language), try Self.file(.english))
        #expect(Set(english.keys).subtracting(own.keys).sorted() == [])
        #expect(Set(own.keys).subtracting(english.keys).sorted() == [])
        #expect(own.filter { $0.value.allSatisfy(\.isWhitespace) }.keys.sorted() == [])
    }

    @Test("every key that the console's source names has a text")
    func namedKeys() throws {
        let english = Set(try Self.file(.english).keys)
        let groups = Set(english.filter { $0.contains(".") }.map { $0.prefix { $0 != "." } })
        let folder = packageDirectory.appending(path: "Sources/Console")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var named = 0
        for case let file as URL in files where file.pathExtension == "swift" {
            let source = try String(contentsOf: file, encoding: .utf8)
            let looked = source.matches(of: /texts(?:\[|\.text\()"([^"\\]+)"/).map { String($0.1) }
            // In lists of keys, too. Members of a configuration document and names of files have dots as well.
            let listed = source.matches(of: /"([a-z][A-Za-z]*(?:\.[A-Za-z0-9]+)+)"/).map { String($0.1) }.filter {
                groups.contains($0.prefix { $0 != "." }) && !$0.hasPrefix("signIn.")
                    && !["json", "jsonl", "csv"].contains($0.split(separator: ".").last)
            }
            for key in looked + listed { #expect(english.contains(key), "\(file.lastPathComponent): \(key)") }
            // Of a key with a value in it, the part before the value.
            for match in source.matches(of: /"([a-z][A-Za-z]*\.(?:[A-Za-z]+\.)*)\\\(/)
            where groups.contains(match.1.prefix { $0 != "." }) {
                #expect(english.contains { $0.hasPrefix(match.1) }, "\(file.lastPathComponent): \(match.1)")
            }
            named += looked.count
        }
        #expect(named > 300)
    }

    @Test("what has a name for each of its cases has a text for each of them")
    func namedCases() throws {
        let english = Set(try Self.file(.english).keys)
        // The profile is reached by the operator's own name.
        let keys =
            ConsoleSection.allCases.filter { $0 != .profile }.map { "section.\($0.rawValue)" }
            + OperatorRole.allCases.map { "role.\($0.rawValue)" } + EmailPurpose.allCases.map { "templates.\($0.rawValue)" }
        #expect(keys.filter { !english.contains($0) } == [])
    }

    @Test("a text has the same places for values in every language", arguments: EmailLanguage.allCases)
    func samePlaces(language: EmailLanguage) throws {
        func places(_ text: String) -> [Substring] { text.matches(of: /\{[A-Za-z]+\}/).map(\.output).sorted() }
        let own = try Self.file(language)
        for (key, english) in try Self.file(.english) { #expect(places(own[key] ?? "") == places(english), "\(key)") }
    }

    @Test("the direction of a language is one that HTML knows", arguments: EmailLanguage.allCases)
    func direction(language: EmailLanguage) throws {
        #expect(try ConsoleTexts.of(language).direction == (language == .arabic ? "rtl" : "ltr"))
    }

    @Test("a text that a language lacks is the English one, and a key without any text is its own text")
    func fallback() {
        let texts = ConsoleTexts(language: .french, own: ["a": "un"], english: ["a": "one", "b": "two"])
        #expect((texts["a"], texts["b"], texts["c"]) == ("un", "two", "c"))
    }

    @Test("values are put in once, and braces without a value stay")
    func places() {
        let texts = ConsoleTexts(
            language: .english,
            own: ["both": "{a} and {b}", "unknown": "{x} {", "json": "{\"sub\": {a}}"],
            english: [:]
        )
        #expect(texts.text("both", ["a": "{b}", "b": "2"]) == "{b} and 2")
        #expect(texts.text("unknown", ["a": "1"]) == "{x} {")
        #expect(texts.text("json", ["a": "1"]) == "{\"sub\": 1}")
    }

    @Test("a user's text in a text cannot turn the direction of what surrounds it")
    func isolation() {
        let texts = ConsoleTexts(language: .english, own: ["name": "{name} was deleted"], english: [:])
        #expect(texts.text("name", ["name": "\u{202E}\u{2069}evil"]) == "\u{2068}evil\u{2069} was deleted")
        #expect(texts.text("name", ["name": "Ann"]) == "Ann was deleted")
    }

    @Test("the browser chooses the language, and English is what remains")
    func negotiation() throws {
        #expect(try ConsoleTexts.negotiated(acceptLanguage: "xx, de-AT;q=0.8, en;q=0.5").language == .german)
        #expect(try ConsoleTexts.negotiated(acceptLanguage: nil).language == .english)
    }
}
