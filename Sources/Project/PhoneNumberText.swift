/// How phone numbers are shown to callers that may not see them whole.
package enum PhoneNumberText {
    private static let shown = 4

    /// Every digit but the last four becomes `*`, other characters stay: `+15555550100` is `+*******0100`
    /// (`Docs/Contract/phone-and-mfa.md` §5.1).
    package static func obfuscated(_ number: String) -> String {
        var digitsLeft = number.utf8.count { Self.isDigit($0) }
        let bytes = number.utf8.map { byte -> UInt8 in
            guard Self.isDigit(byte) else { return byte }
            defer { digitsLeft -= 1 }
            return digitsLeft > shown ? UInt8(ascii: "*") : byte
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
