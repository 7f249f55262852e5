/// A language with built-in texts.
package enum EmailLanguage: String, Sendable, CaseIterable {
    case english = "en"
    case french = "fr"
    case spanish = "es"
    case german = "de"
    case japanese = "ja"
    case chinese = "zh"
    case arabic = "ar"
    case bengali = "bn"

    /// Chooses a language: that of the first tag that has texts.
    ///
    /// A longer tag falls back to its language: `fr-CA` to `fr`, `zh-Hant-TW` to `zh` (RFC 4647 §3.4).
    ///
    /// - Parameter firebaseLocale: An underscore counts as a hyphen.
    /// - Returns: English when no tag has texts.
    package static func negotiate(
        firebaseLocale: String?,
        acceptLanguage: String?,
        projectDefault: String? = nil
    ) -> EmailLanguage {
        let choices = [firebaseLocale].compactMap { $0 } + weighted(acceptLanguage ?? "") + [projectDefault].compactMap { $0 }
        return choices.lazy.compactMap(EmailLanguage.init(tag:)).first ?? .english
    }

    private init?(tag: String) {
        let primary = tag.drop { $0 == " " }.prefix { $0 != "-" && $0 != "_" && $0 != " " }
        self.init(rawValue: primary.lowercased())
    }

    // Real clients send fewer tags than this.
    private static let maximumRanges = 32

    private static func weighted(_ header: String) -> [String] {
        let ranges = header.split(separator: ",").prefix(maximumRanges).compactMap { range -> (tag: String, weight: Double)? in
            let parts = range.split(separator: ";", omittingEmptySubsequences: false)
            guard let tag = parts.first else { return nil }
            guard let parameter = parts.dropFirst().first?.filter({ $0 != " " && $0 != "\t" }) else { return (String(tag), 1) }
            guard parameter.lowercased().hasPrefix("q="), let weight = Double(parameter.dropFirst(2)) else { return nil }
            // A weight of zero excludes the tag. NaN is not a weight.
            guard weight > 0, weight <= 1 else { return nil }
            return (String(tag), weight)
        }
        // Tags of equal weight keep their order.
        return ranges.enumerated()
            .sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
            .map(\.element.tag)
    }
}
