/// The host of a mail server in a project's configuration (`Docs/Contract/admin-config.md` §3). It is wider than ``HostName``: names
/// in container networks have underscores.
package enum MailServerHost {
    /// Whether a text is at most 253 letters, digits, hyphens, dots, underscores and the colons of IPv6, so that it can stand in a
    /// URL.
    package static func isValid(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 253
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-._:".utf8.contains(byte)
            }
    }
}
