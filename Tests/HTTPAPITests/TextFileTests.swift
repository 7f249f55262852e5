import Foundation
import Messaging
import Project
import Testing

@testable import HTTPAPI
@testable import Messaging

@Suite("The files of texts")
struct TextFileTests {
    /// The texts of a file by their places, and what is put into each.
    private static func places(_ value: JSONValue, at path: String = "") -> [String: Set<String>] {
        switch value {
        case .object(let members):
            members.reduce(into: [:]) { $0.merge(places($1.value, at: "\(path)/\($1.key)")) { $1 } }
        // How many paragraphs there are is the language's own choice.
        case .array(let elements):
            [path: elements.reduce(into: []) { $0.formUnion(places($1, at: path)[path] ?? []) }]
        default:
            [path: Set((value.string ?? "").matches(of: /\{\{(\w+)\}\}/).map { String($0.output.1) })]
        }
    }

    private static func texts(_ value: JSONValue) -> [String?] {
        switch value {
        case .object(let members): members.values.flatMap(texts)
        case .array(let elements): elements.isEmpty ? [nil] : elements.flatMap(texts)
        default: [value.string]
        }
    }

    private static let files: [@Sendable (EmailLanguage) -> [UInt8]] = [{ EmailTexts.file($0) }, { PageTexts.file($0) }]

    @Test("say in every language what they say in English, no less and no more", arguments: EmailLanguage.allCases)
    func complete(language: EmailLanguage) throws {
        for file in Self.files {
            let (english, own) = (try JSONValue.parse(file(.english)), try JSONValue.parse(file(language)))
            #expect(Set(Self.places(own).keys) == Set(Self.places(english).keys))
            for text in Self.texts(own) {
                #expect(text?.allSatisfy(\.isWhitespace) == false, "\(text ?? "no text")")
                // What is left of a place that is spelt wrong would be shown.
                #expect(text?.replacing(/\{\{\w+\}\}/, with: "").contains(/[{}]/) == false)
            }
            guard language != .english else { continue }
            let same = zip(Self.texts(own), Self.texts(english)).filter { $0 == $1 }.count
            #expect(same < 5, "\(same) texts are those of another language")
        }
    }

    @Test("name in every language the same values as in English", arguments: EmailLanguage.allCases)
    func values(language: EmailLanguage) throws {
        for file in Self.files {
            let english = Self.places(try JSONValue.parse(file(.english)))
            for (place, values) in Self.places(try JSONValue.parse(file(language))) {
                #expect(values == english[place], "\(place)")
            }
        }
    }

    @Test("are the only place of sentences in other languages than English")
    func nowhereElse() throws {
        let sources = URL(filePath: #filePath).appending(path: "../../../Sources").standardized
        var count = 0
        for file in try FileManager.default.subpathsOfDirectory(atPath: sources.path) where file.hasSuffix(".swift") {
            let text = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
            count += 1
            // Letters beyond ASCII stand in no English sentence of ours.
            let foreign = text.unicodeScalars.filter { $0.value >= 0x80 && $0.properties.isAlphabetic }
            #expect(foreign.isEmpty, "\(file): \(String(String.UnicodeScalarView(foreign)))")
        }
        #expect(count > 300)
    }
}
