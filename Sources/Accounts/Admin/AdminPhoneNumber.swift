import Project

/// Phone numbers as administrators write them (`contract/conventions.md` §4.2).
enum AdminPhoneNumber {
    private static let digitCounts = 8...15

    /// The form under which a number is stored.
    ///
    /// - Parameters:
    ///   - text: What somebody sent.
    ///   - mode: Development takes whatever begins with `+`, as the emulator does.
    /// - Returns: E.164, or `nil` when it is no number.
    static func canonical(_ text: String, mode: ServerMode) -> String? {
        guard text.hasPrefix("+") else { return nil }
        if mode == .development { return text }
        let digits = text.utf8.dropFirst().filter { !Array(" -()".utf8).contains($0) }
        guard digitCounts.contains(digits.count), digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return "+" + String(decoding: digits, as: UTF8.self)
    }

    /// The number of a request's `phoneNumber`.
    ///
    /// - Throws: `APIError` `INVALID_PHONE_NUMBER`.
    static func require(_ text: String, mode: ServerMode) throws -> String {
        guard let number = canonical(text, mode: mode) else { throw APIError(.invalidPhoneNumber, "Invalid format.") }
        return number
    }
}
