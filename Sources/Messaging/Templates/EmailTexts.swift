import Foundation
import Mustache

/// The built-in texts of one language, from `Texts/LANGUAGE.json`.
struct EmailTexts: Sendable {
    struct Purpose: Sendable {
        let subject: MustacheTemplate
        let intro: [MustacheTemplate]
        let action: MustacheTemplate
        let outro: [MustacheTemplate]
    }

    /// `ltr` or `rtl`.
    let direction: String
    let greeting: MustacheTemplate
    let greetingWithName: MustacheTemplate
    let linkHint: MustacheTemplate
    let signature: MustacheTemplate
    let purposes: [EmailPurpose: Purpose]
    /// Phrases by ``AccountAlteration/name``.
    let changes: [String: MustacheTemplate]

    private struct File: Decodable {
        struct Purpose: Decodable {
            let subject: String
            let intro: [String]
            let action: String
            let outro: [String]
        }

        let direction: String
        let greeting: String
        let greetingWithName: String
        let linkHint: String
        let signature: String
        let purposes: [String: Purpose]
        let changes: [String: String]
    }

    /// Reads the texts of a language from the binary.
    ///
    /// - Throws: ``EmailTemplateError/texts(_:)``.
    init(_ language: EmailLanguage) throws {
        do {
            let file = try JSONDecoder().decode(File.self, from: Data(Self.resource(language)))
            direction = file.direction
            greeting = try Self.template(file.greeting)
            greetingWithName = try Self.template(file.greetingWithName)
            linkHint = try Self.template(file.linkHint)
            signature = try Self.template(file.signature)
            var purposes: [EmailPurpose: Purpose] = [:]
            for purpose in EmailPurpose.allCases {
                guard let texts = file.purposes[purpose.rawValue] else { throw EmailTemplateError.texts(purpose.rawValue) }
                purposes[purpose] = Purpose(
                    subject: try Self.template(texts.subject),
                    intro: try texts.intro.map(Self.template),
                    action: try Self.template(texts.action),
                    outro: try texts.outro.map(Self.template)
                )
            }
            self.purposes = purposes
            changes = try Dictionary(
                uniqueKeysWithValues: AccountAlteration.names.map { name in
                    guard let phrase = file.changes[name] else { throw EmailTemplateError.texts(name) }
                    return (name, try Self.template(phrase))
                }
            )
        } catch {
            throw EmailTemplateError.texts("\(language.rawValue): \(error)")
        }
    }

    /// A template that inserts values unchanged. The caller escapes them, because Mustache's own escape works on characters, see
    /// ``HTMLText/escape(_:)``.
    static func template(_ text: String) throws -> MustacheTemplate {
        try MustacheTemplate(string: "{{% CONTENT_TYPE:TEXT}}" + text)
    }

    private static func resource(_ language: EmailLanguage) -> [UInt8] {
        switch language {
        case .english: PackageResources.en_json
        case .french: PackageResources.fr_json
        case .spanish: PackageResources.es_json
        case .german: PackageResources.de_json
        case .japanese: PackageResources.ja_json
        case .chinese: PackageResources.zh_json
        case .arabic: PackageResources.ar_json
        case .bengali: PackageResources.bn_json
        }
    }
}
