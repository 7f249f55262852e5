/// The canonical form of an e-mail address, which decides who owns an account (`Docs/Contract/conventions.md` §4.2, threat cases
/// LNK-13 and LNK-14). Messages go to plain addresses only, in every mode.
package enum EmailAddress {
    /// Longest address, in characters.
    package static let maximumLength = 255

    private static let maximumLocalPart = 64
    private static let localPunctuation = Set("!#$%&'*+-/=?^_`{|}~.".utf8)

    /// Lower-cases an address if it is a plain one: `local@domain`, ASCII, no quoting, no display name, no list.
    ///
    /// Validation comes before lower-casing, so that no other letter can turn into an ASCII one.
    package static func canonical(_ text: String) -> String? {
        isPlain(text) ? text.lowercased() : nil
    }

    /// Lower-cases an address that an account gets now. Messages must reach it, and it has no two dots in a row, because a
    /// dot-atom has no empty part (RFC 5322 §3.4.1). Accounts that already have two dots keep them: some carriers gave out
    /// such addresses.
    package static func canonicalNew(_ text: String, mode: ModeRules) -> String? {
        if mode.checksEmailAddresses, !isMailable(text) || text.contains("..") { return nil }
        return canonical(text, mode: mode)
    }

    /// Whether a message can be addressed to a text. Two dots in a row are allowed: the message quotes them. Mail servers accept
    /// at most 64 bytes before the `@` (RFC 5321 §4.5.3.1.1). The domain must be a name, not an IP address or a number.
    package static func isMailable(_ text: String) -> Bool {
        guard isPlain(text), let at = text.utf8.firstIndex(of: UInt8(ascii: "@")) else { return false }
        guard text.utf8[..<at].count <= maximumLocalPart, let host = HostName(String(text[text.utf8.index(after: at)...])) else {
            return false
        }
        return host.address == nil
    }

    private static func isPlain(_ text: String) -> Bool {
        guard text.utf8.count <= maximumLength, text.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, isHostName(parts[1]) else { return false }
        guard parts[0].allSatisfy({ isAlphanumeric($0) || localPunctuation.contains($0) }) else { return false }
        return parts[0].first != UInt8(ascii: ".") && parts[0].last != UInt8(ascii: ".")
    }

    /// Lower-cases an address of a client or a provider.
    ///
    /// - Parameter mode: Production takes plain addresses; for development, as for the emulator, one `@` with something on both
    ///   sides is one.
    package static func canonical(_ text: String, mode: ModeRules) -> String? {
        if mode.checksEmailAddresses { return canonical(text) }
        guard text.utf8.count <= maximumLength, !text.utf8.contains(0) else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } ? text.lowercased() : nil
    }

    private static func isHostName(_ text: Substring.UTF8View) -> Bool {
        text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy(HostName.isLabel)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
