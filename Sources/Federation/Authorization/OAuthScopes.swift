import Project

/// `oauthScope` and the handler's `scopes`: a list as a text (`Docs/Contract/client-accounts.md` §7,
/// `Docs/Contract/web-handler.md` §2).
package enum OAuthScopes {
    /// Reads a list.
    ///
    /// - Parameter text: Scopes separated by spaces or commas, or a JSON object of such lists by provider id.
    package static func parse(_ text: String, providerID: String?) -> [String] {
        if text.hasPrefix("{"), let lists = try? JSONValue.parse(text.utf8).object {
            return split(providerID.flatMap { lists[$0]?.string } ?? "")
        }
        return split(text)
    }

    /// The most scopes of one request.
    package static let maximumCount = 100

    /// Whether a text is one scope (RFC 6749 §3.3): printable ASCII without quotation mark and backslash.
    package static func isScope(_ text: String) -> Bool {
        (1...256).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }

    private static func split(_ text: String) -> [String] {
        text.split { $0 == " " || $0 == "," }.map(String.init)
    }
}
