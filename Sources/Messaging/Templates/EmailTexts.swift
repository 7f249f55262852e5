/// The built-in texts of messages in one language, as `Texts/LANGUAGE.json` has them.
struct EmailTexts: TranslatedTexts {
    struct Purpose: Decodable, Sendable {
        let subject: TextTemplate
        let intro: [TextTemplate]
        let action: TextTemplate
        let outro: [TextTemplate]
    }

    /// `ltr` or `rtl`.
    let direction: String
    let greeting: TextTemplate
    let greetingWithName: TextTemplate
    let linkHint: TextTemplate
    let signature: TextTemplate
    let purposes: [EmailPurpose: Purpose]
    /// Phrases by ``AccountAlteration/name``.
    let changes: [String: TextTemplate]
    /// The sentence of a text message with a code.
    let codeMessage: TextTemplate

    /// Every language, read once.
    static let all = Result { try Translations<EmailTexts>() }

    var missing: [String] {
        EmailPurpose.allCases.filter { purposes[$0] == nil }.map(\.rawValue)
            + AccountAlteration.names.filter { changes[$0] == nil }
    }

    static func file(_ language: EmailLanguage) -> [UInt8] {
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
