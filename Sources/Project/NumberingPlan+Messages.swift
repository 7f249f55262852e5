// Where a message must not go although somebody may have the number. A table of facts, as the rest of the plan, derived from the
// metadata of libphonenumber 9.0.43: for each calling code the shortest beginnings of national numbers behind which there are
// premium-rate numbers and no mobile, fixed or VoIP number.
extension NumberingPlan {
    /// Whether a number can be one that a message is for: it costs its sender no more than a message, and does not begin with a
    /// trunk zero, which only national dialling has.
    ///
    /// - Parameter digits: A number in E.164 without its `+`.
    /// - Returns: `false` for premium-rate numbers, for a zero behind a calling code where no number begins with one, and for
    ///   calling codes of no country.
    static func takesMessages(digits: Substring) -> Bool {
        guard let (code, _) = country(ofDigits: digits) else { return false }
        let national = digits.dropFirst(code.count)
        if national.first == "0", !codesWithLeadingZero.contains(code) { return false }
        return premium[code]?.contains { $0.covers(national) } != true
    }

    private struct Premium {
        let prefix: String
        /// Digits of the national number, where others with that beginning are ordinary ones.
        let length: Int?

        func covers(_ national: Substring) -> Bool {
            national.hasPrefix(prefix) && (length.map { $0 == national.count } ?? true)
        }
    }

    private static let premium: [String: [Premium]] = {
        var premium: [String: [Premium]] = [:]
        for entry in premiumTable.split(whereSeparator: { $0 == ";" || $0 == "\n" }) {
            let parts = entry.split(separator: " ")
            premium[String(parts[0])] = parts.dropFirst().map { part in
                let pair = part.split(separator: "/")
                return Premium(prefix: String(pair[0]), length: pair.count > 1 ? Int(pair[1]) : nil)
            }
        }
        return premium
    }()

    // Countries whose ordinary numbers begin with a zero.
    private static let codesWithLeadingZero: Set = ["39", "225", "226", "229", "241", "242", "250", "378", "992"]

    // Calling code, beginnings of premium-rate numbers behind it; `/` and a count of digits where the beginning alone does not tell.
    private static let premiumTable = """
        1 24697 34597 900; 7 80; 20 90; 27 86 9; 30 90; 31 90; 32 70 90; 33 8; 34 80; 36 90 91; 39 0878 1 8; 40 9; 41 90
        43 8 9; 44 8 9; 45 90; 46 649 900 939 944 99; 47 82; 48 70; 49 13 900; 51 80; 52 90; 54 60; 55 50 90; 57 1 90; 58 9
        60 16/10; 61 19; 62 80; 64 1 5 90; 65 1; 81 990; 82 60; 84 19; 86 160 168; 90 88 89 9; 91 1861; 92 90; 212 89; 213 8
        216 88; 221 8; 227 0; 230 30; 231 332; 236 8; 240 9; 242 8; 248 8; 250 9; 254 9; 255 9; 256 9; 262 8; 264 87; 267 9
        268 9; 269 8; 297 90; 298 90; 351 601 607 608 64 7; 352 900 901 905; 353 1/10; 354 9; 355 9; 356 5; 357 90; 358 60 7
        359 90; 370 900 902 903 909 91; 371 9; 372 40 9; 373 9; 374 90; 375 8 9; 376 1 9; 378 7; 380 90; 381 7 9; 382 9; 383 9
        385 6; 386 89 9; 387 9; 389 5; 420 90 976; 421 900 97 98; 423 9; 502 1; 503 9; 506 9
        507 822 855 86 877 878 886 900 981; 508 81/9 82/9 89/9; 590 81 82 89; 592 9; 594 81 82 89; 596 81 82 89; 597 90
        598 90; 670 9; 687 36; 852 900; 886 20; 961 9/8; 962 9; 966 9; 968 900; 971 90; 972 12 19; 973 8 9; 994 90
        """
}
