import Foundation

/// The base64 of imports and exports (`Docs/Contract/admin-accounts.md` §10). The SDKs differ in alphabet and padding.
package enum WireBase64 {
    /// Decodes either alphabet, with or without padding; `nil` for anything else.
    package static func decode(_ text: String) -> [UInt8]? {
        var standard = Array(text.utf8)
        while standard.last == UInt8(ascii: "=") { standard.removeLast() }
        for index in standard.indices {
            switch standard[index] {
            case UInt8(ascii: "-"): standard[index] = UInt8(ascii: "+")
            case UInt8(ascii: "_"): standard[index] = UInt8(ascii: "/")
            default: break
            }
        }
        guard standard.count % 4 != 1, text.utf8.count - standard.count <= 2 else { return nil }
        standard.append(contentsOf: repeatElement(UInt8(ascii: "="), count: (4 - standard.count % 4) % 4))
        return Data(base64Encoded: Data(standard)).map(Array.init)
    }

    /// Encodes with the URL-safe alphabet and padding, as `UserInfo` shows hashes and salts
    /// (`Docs/Contract/admin-accounts.md` §3).
    package static func encode(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString()
            .replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_")
    }
}
