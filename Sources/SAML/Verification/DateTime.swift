import Project

/// Reads `xs:dateTime` as SAML writes it (SAML core §1.3.3): UTC with `Z`, with or without a fraction.
///
/// A response has six times or more. By a regular expression and Foundation they cost more than its signature.
enum DateTime {
    /// - Returns: The time to the millisecond; `nil` for a text of another form, or a day or hour that does not exist.
    static func parse(_ text: String) -> Timestamp? {
        let bytes = Array(text.utf8)
        guard (20...40).contains(bytes.count), bytes.last == UInt8(ascii: "Z"), zip(bytes, form).allSatisfy(agree) else {
            return nil
        }
        let fraction = bytes[19..<bytes.count - 1]
        guard fraction.isEmpty || fraction.first == UInt8(ascii: ".") && (2...10).contains(fraction.count),
            fraction.dropFirst().allSatisfy(isDigit)
        else { return nil }
        let year = number(bytes[0..<4])
        let (month, day) = (number(bytes[5..<7]), number(bytes[8..<10]))
        let (hour, minute, second) = (number(bytes[11..<13]), number(bytes[14..<16]), number(bytes[17..<19]))
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard year > 0, (1...12).contains(month), (1...lengths[Int(month) - 1]).contains(day), hour < 24, minute < 60, second < 60
        else { return nil }
        let before = year - 1
        let days = before * 365 + before / 4 - before / 100 + before / 400 + lengths[..<Int(month - 1)].reduce(0, +) + day - 1
        let seconds = ((days - daysBefore1970) * 24 + hour) * 3600 + minute * 60 + second
        let milliseconds = number((fraction.dropFirst() + [UInt8](repeating: UInt8(ascii: "0"), count: 3)).prefix(3))
        return Timestamp(milliseconds: seconds * 1000 + milliseconds)
    }

    private static let form = Array("0000-00-00T00:00:00".utf8)
    // From the first of January of the year 1 on.
    private static let daysBefore1970: Int64 = 719_162

    private static func agree(_ byte: UInt8, _ wanted: UInt8) -> Bool {
        wanted == UInt8(ascii: "0") ? isDigit(byte) : byte == wanted
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func number(_ digits: some Sequence<UInt8>) -> Int64 {
        digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }
}
