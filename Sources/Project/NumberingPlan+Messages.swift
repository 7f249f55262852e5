// Numbers that messages must not go to although they may be assigned: the shortest beginnings of national numbers behind which
// there are premium-rate numbers and no mobile, fixed or VoIP numbers.
extension NumberingPlan {
    /// Whether a message may go to a number. A premium-rate number costs its sender more than a message does, and a trunk zero is
    /// only for national dialling.
    ///
    /// - Parameter digits: A number in E.164 without its `+`.
    /// - Returns: `false` for premium-rate numbers, for a zero behind a calling code where no number begins with one, and for
    ///   calling codes of no country.
    static func takesMessages(digits: Substring) -> Bool {
        guard let (code, country) = country(ofDigits: digits) else { return false }
        let national = digits.dropFirst(code.utf8.count)
        if national.first == "0", !country.hasLeadingZero { return false }
        return premium[code]?.contains { $0.covers(national) } != true
    }

    private struct Premium {
        let prefix: String
        /// Number of digits of the national number. It is set when numbers of other lengths with that beginning are ordinary
        /// ones.
        let length: Int?

        func covers(_ national: Substring) -> Bool {
            national.hasPrefix(prefix) && (length.map { $0 == national.utf8.count } ?? true)
        }
    }

    private static let premium: [String: [Premium]] = {
        var premium: [String: [Premium]] = [:]
        for parts in entries(of: premiumTable) {
            premium[parts[0], default: []] += parts.dropFirst().map { part in
                let pair = part.split(separator: "/")
                return Premium(prefix: String(pair[0]), length: pair.count > 1 ? Int(pair[1]) : nil)
            }
        }
        return premium
    }()
}
