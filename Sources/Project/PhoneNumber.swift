/// Phone numbers in the one form that they are stored, compared and counted in: E.164, a `+` and digits.
package enum PhoneNumber {
    // ITU-T E.164 §6: at most 15 digits, calling code included. No country has numbers of fewer than seven.
    private static let digitCounts = 7...15
    private static let maximumInput = 64

    /// Reads a number as a client sends it (`Docs/Contract/conventions.md` §4.2).
    ///
    /// - Parameters:
    ///   - text: Spaces, hyphens and parentheses do not count.
    ///   - mode: Development takes whatever begins with a `+`, as the emulator does, and leaves it as it is.
    package static func canonical(_ text: String?, mode: ModeRules) -> String? {
        guard let text else { return nil }
        guard mode.checksPhoneNumbers else {
            return text.utf8.count <= maximumInput && text.utf8.first == UInt8(ascii: "+") ? text : nil
        }
        guard let number = digits(of: text), let found = NumberingPlan.region(ofDigits: number[...]), found.hasPlausibleLength
        else { return nil }
        return "+" + number
    }

    private static func digits(of text: String) -> String? {
        guard text.utf8.count <= maximumInput else { return nil }
        let kept = text.utf8.filter { !ignored.contains($0) }
        let digits = kept.dropFirst()
        guard kept.first == UInt8(ascii: "+"), digitCounts.contains(digits.count),
            digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        else { return nil }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Reads a number that another server had verified. Numbering plans change, and their users keep what they have: such a number need
    /// not be one that exists today (ruling 48).
    package static func kept(_ text: String?, mode: ModeRules) -> String? {
        guard mode.checksPhoneNumbers else { return canonical(text, mode: mode) }
        return text.flatMap(digits(of:)).map { "+" + $0 }
    }

    /// The number of a request's `phoneNumber`.
    ///
    /// - Throws: `APIError` `INVALID_PHONE_NUMBER`.
    package static func required(_ text: String, mode: ModeRules) throws -> String {
        guard let number = canonical(text, mode: mode) else { throw APIError(.invalidPhoneNumber, "Invalid format.") }
        return number
    }

    /// The region that a number belongs to (ISO 3166-1 alpha-2); `nil` for a calling code of no country.
    package static func region(of number: String) -> String? { NumberingPlan.region(ofDigits: number.dropFirst())?.region }

    /// Whether messages may go to a number in E.164. They do not go to premium-rate numbers, to impossible numbers, or to calling
    /// codes of no country.
    package static func takesMessages(_ number: String) -> Bool { NumberingPlan.takesMessages(digits: number.dropFirst()) }

    private static let ignored = Set(" -()".utf8)
}
