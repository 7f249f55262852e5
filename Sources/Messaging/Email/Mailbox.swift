import Foundation
import Project

/// The sender or recipient of a message: an address, and an optional name to show (RFC 5322 §3.4).
///
/// It holds only what a header and an SMTP command may carry: no control characters, and a domain with other letters in its ASCII
/// form (RFC 5890). Local parts outside ASCII would need SMTPUTF8 at every hop and are refused.
package struct Mailbox: Sendable, Hashable, Codable {
    /// The name to show; `nil` for none.
    package let name: String?
    /// `local@domain` in ASCII. Its case is kept.
    package let address: String

    /// Makes a mailbox.
    ///
    /// - Parameter address: `local@domain`.
    package init(address: String, name: String? = nil) throws {
        guard let ascii = Self.ascii(address), EmailAddress.isMailable(ascii) else { throw EmailMessageError.address }
        if let name, !HeaderText.isSafe(name) { throw EmailMessageError.header("name") }
        self.address = ascii
        self.name = name.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Reads `local@domain` or `Name <local@domain>`, the name with or without quotes, as `email.from` has it.
    package init(parsing text: String) throws {
        // By bytes: characters are counted from the beginning of a text, each time anew.
        guard text.utf8.last == UInt8(ascii: ">"), let open = text.utf8.lastIndex(of: UInt8(ascii: "<")) else {
            self = try Mailbox(address: text.trimmingCharacters(in: .whitespaces))
            return
        }
        var name = text[..<open].trimmingCharacters(in: .whitespaces)
        let quote = UInt8(ascii: "\"")
        if name.utf8.count >= 2, name.utf8.first == quote, name.utf8.last == quote {
            name = String(decoding: name.utf8.dropFirst().dropLast(), as: UTF8.self).replacing("\\\"", with: "\"")
        }
        self = try Mailbox(address: String(decoding: text.utf8[open...].dropFirst().dropLast(), as: UTF8.self), name: name)
    }

    /// The part after the `@`.
    package var domain: String { String(address.split(separator: "@", maxSplits: 1).last ?? "") }

    /// The part before the `@`.
    var localPart: String { String(address.split(separator: "@", maxSplits: 1).first ?? "") }

    /// The address as headers and SMTP commands spell it. A local part that is not a dot-atom is quoted (RFC 5321 §4.1.2).
    var specification: String {
        let isDotAtom = localPart.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
        return isDotAtom ? address : "\"\(localPart)\"@\(domain)"
    }

    private static func ascii(_ address: String) -> String? {
        guard !address.utf8.allSatisfy({ $0 < 0x80 }) else { return address }
        let parts = address.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].unicodeScalars.allSatisfy({ $0.value > 0x7F || isHostByte($0) }) else { return nil }
        guard let host = URLComponents(string: "https://\(parts[1])/")?.encodedHost else { return nil }
        return "\(parts[0])@\(host)"
    }

    private static func isHostByte(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "." || scalar == "-" || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
    }
}
