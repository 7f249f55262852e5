import Foundation
import Messaging
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
