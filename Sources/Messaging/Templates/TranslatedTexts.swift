import Foundation
import Mustache

/// Texts that are there in every language: one JSON file a language in the binary, in the form of the type.
package protocol TranslatedTexts: Decodable, Sendable {
    static func file(_ language: EmailLanguage) -> [UInt8]

    /// The texts that a file lacks although its form does not ask for them, by name.
    var missing: [String] { get }
}

extension TranslatedTexts {
    package var missing: [String] { [] }
}

/// The texts of one kind in all languages.
package struct Translations<Texts: TranslatedTexts>: Sendable {
    private let texts: [EmailLanguage: Texts]

    /// Reads the files.
    package init() throws {
        texts = try Dictionary(uniqueKeysWithValues: EmailLanguage.allCases.map { ($0, try Self.read($0)) })
    }

    package func of(_ language: EmailLanguage) throws -> Texts {
        guard let found = texts[language] else { throw EmailTemplateError.texts(language.rawValue) }
        return found
    }

    private static func read(_ language: EmailLanguage) throws -> Texts {
        do {
            let found = try JSONDecoder().decode(Texts.self, from: Data(Texts.file(language)))
            if let name = found.missing.first { throw EmailTemplateError.texts(name) }
            return found
        } catch {
            throw EmailTemplateError.texts("\(language.rawValue): \(error)")
        }
    }
}

/// A text with places for values, each its name in two pairs of braces.
package struct TextTemplate: Decodable, Sendable {
    private let template: MustacheTemplate

    package init(_ text: String) throws {
        // Values come escaped for where they go: Mustache's own escape looks at characters, see `HTMLText.escape`.
        template = try MustacheTemplate(string: "{{% CONTENT_TYPE:TEXT}}" + text)
    }

    package init(from decoder: any Decoder) throws {
        try self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// The text with values in their places, as they are.
    package func render(_ values: [String: String]) -> String { template.render(values) }

    /// A layout, whose values may be lists.
    func render(layout values: [String: Any]) -> String { template.render(values) }
}
