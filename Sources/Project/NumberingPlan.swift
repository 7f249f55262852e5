/// Which phone numbers can exist, as far as beginning and length tell.
///
/// The tables hold facts, not rules: geographic country calling codes (ITU-T E.164 list of assigned codes) with the lengths of
/// the fixed, mobile and VoIP numbers behind them. `Tools/numbering_plan.py` writes all of them from one release of
/// libphonenumber's metadata. Calling codes of no country (800, 808, 870 to 888, 979) are left out on purpose. They belong to
/// toll-free numbers, satellites and premium services, which no user has for a phone and which fraud prefers.
package enum NumberingPlan {
    /// The facts about one calling code.
    struct Country: Sendable, Hashable {
        /// ISO 3166-1 alpha-2; the largest one of those that share the calling code.
        let region: String
        /// How many digits follow the calling code: bit n for n digits.
        let lengths: UInt32
        /// Whether numbers behind the calling code begin with a zero.
        let hasLeadingZero: Bool

        func hasNumbers(of length: Int) -> Bool { length < UInt32.bitWidth && lengths & (1 << UInt32(length)) != 0 }
    }

    /// Looks a number up.
    ///
    /// - Parameter digits: A number in E.164 without its `+`.
    /// - Returns: Its region, and whether it has a length that numbers there have; `nil` for a calling code of no country.
    package static func region(ofDigits digits: Substring) -> (region: String, hasPlausibleLength: Bool)? {
        guard let (code, country) = country(ofDigits: digits) else { return nil }
        return (prefixRegion(digits) ?? country.region, country.hasNumbers(of: digits.utf8.count - code.utf8.count))
    }

    /// The country of a number, with its calling code.
    static func country(ofDigits digits: Substring) -> (code: String, country: Country)? {
        for length in 1...3 {
            let code = String(digits.prefix(length))
            if let country = countries[code] { return (code, country) }
        }
        return nil
    }

    private static func prefixRegion(_ digits: Substring) -> String? {
        for length in prefixLengths where digits.utf8.count > length {
            if let region = prefixes[String(digits.prefix(length))] { return region }
        }
        return nil
    }

    private static let countries: [String: Country] = {
        var countries: [String: Country] = [:]
        for parts in entries(of: countryTable) where parts.count > 2 {
            var lengths: UInt32 = 0
            for range in parts[2].split(separator: ",") {
                let bounds = range.split(separator: "-").compactMap { UInt32($0) }
                guard let low = bounds.first, let high = bounds.last else { continue }
                for length in low...high { lengths |= 1 << length }
            }
            countries[parts[0]] = Country(region: parts[1], lengths: lengths, hasLeadingZero: parts.count > 3)
        }
        return countries
    }()

    private static let prefixes: [String: String] = {
        var prefixes: [String: String] = [:]
        for parts in entries(of: prefixTable) {
            for prefix in parts.dropFirst() { prefixes[prefix] = parts[0] }
        }
        return prefixes
    }()

    // Longer beginnings are tried first, because they are more specific.
    private static let prefixLengths = Set(prefixes.keys.map(\.utf8.count)).sorted(by: >)

    /// The release of the metadata that a table names in its first line.
    static func release(of table: String) -> String? { table.split(separator: "\n").first.map(String.init) }

    /// The entries of a table: each a name and its values.
    static func entries(of table: String) -> [[String]] {
        table.split(separator: "\n").dropFirst().flatMap { $0.split(separator: ";") }.map { entry in
            entry.split(separator: " ").map(String.init)
        }
    }
}
