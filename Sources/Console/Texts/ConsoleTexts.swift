import Messaging

/// The texts of the console in one language, as `Texts/LANGUAGE.json` has them: plain text without markup, each under a key such
/// as `users.search.title`. Places for values are names in braces, `{count}`.
struct ConsoleTexts: Sendable {
    let language: EmailLanguage
    let own: [String: String]
    let english: [String: String]

    private static let all = Result { try Translations<ConsoleTextFile>() }

    static func of(_ language: EmailLanguage) throws -> ConsoleTexts {
        let all = try all.get()
        return ConsoleTexts(language: language, own: try all.of(language).texts, english: try all.of(.english).texts)
    }

    /// The texts for a browser's `Accept-Language`.
    static func negotiated(acceptLanguage: String?) throws -> ConsoleTexts {
        try of(EmailLanguage.negotiate(firebaseLocale: nil, acceptLanguage: acceptLanguage))
    }

    /// `ltr` or `rtl`.
    var direction: String { self["direction"] }

    /// The text of a key, in English where the language lacks it. A key without any text is its own text.
    subscript(key: String) -> String { own[key] ?? english[key] ?? key }

    /// The text of a key with values in their places. Braces in values are no places. A value beyond ASCII is isolated from the
    /// text around it, because it may come from users.
    func text(_ key: String, _ values: [String: String] = [:]) -> String {
        var output = ""
        var rest = self[key][...]
        while let open = rest.firstIndex(of: "{") {
            output += rest[..<open]
            rest = rest[rest.index(after: open)...]
            let name = rest.prefix { $0.isASCII && $0.isLetter }
            if let value = values[String(name)], rest[name.endIndex...].first == "}" {
                output += Self.isolated(value)
                rest = rest[name.endIndex...].dropFirst()
            } else {
                output += "{"
            }
        }
        return output + rest
    }

    // An isolate ends early when the value ends it, so the value keeps no controls of direction (UAX #9 §2).
    private static func isolated(_ value: String) -> String {
        if value.utf8.allSatisfy({ $0 < 0x80 }) { return value }
        var scalars = String.UnicodeScalarView()
        scalars.append("\u{2068}")
        scalars.append(contentsOf: value.unicodeScalars.filter { !$0.properties.isBidiControl })
        scalars.append("\u{2069}")
        return String(scalars)
    }
}

struct ConsoleTextFile: TranslatedTexts {
    let texts: [String: String]

    init(from decoder: any Decoder) throws { texts = try decoder.singleValueContainer().decode([String: String].self) }

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
