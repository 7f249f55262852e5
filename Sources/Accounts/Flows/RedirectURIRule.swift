import Foundation
import Project

/// Decides where an identity provider may send people back to (`Docs/Contract/client-accounts.md` §7, ruling 17, threat case
/// OAU-05).
struct RedirectURIRule: Sendable {
    let continueURLs: ContinueURLRule

    /// Checks an address.
    ///
    /// - Throws: `APIError` `INVALID_CONTINUE_URI`, `UNAUTHORIZED_DOMAIN`.
    func check(_ text: String, domains: [String]) throws {
        // Browsers read `\` and control characters differently from URL parsers.
        let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
        guard isPlain, let parts = URLComponents(string: text, encodingInvalidCharacters: false),
            WebAddress(text) != nil
        else {
            throw APIError(.invalidContinueURI, "((expected an absolute URI with valid scheme and host))")
        }
        guard parts.fragment == nil, !(parts.queryItems ?? []).contains(where: { $0.name == "state" }) else {
            throw APIError(.invalidContinueURI, "((must have neither a fragment nor a state parameter))")
        }
        try continueURLs.check(text, domains: domains)
    }
}
