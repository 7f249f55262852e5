package import Foundation
import Project

/// Decides where links in e-mails may lead on to (`Docs/Contract/client-accounts.md` §12.2, rules 3 and 3b).
package struct ContinueURLRule: Sendable {
    let mode: ModeRules
    let publicURL: @Sendable () -> String

    /// Checks an address.
    ///
    /// - Parameter domains: `authorizedDomains`; the server's own host counts as one.
    /// - Throws: `APIError` `INVALID_CONTINUE_URI`, `UNAUTHORIZED_DOMAIN`.
    package func check(_ text: String, domains: [String]) throws {
        guard text.utf8.count <= 2048, let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
            let host = parts.host, !host.isEmpty
        else {
            throw APIError(.invalidContinueURI, "((expected an absolute URI with valid scheme and host))")
        }
        guard mode.checksContinueURLs else { return }
        // A browser would run other schemes, such as `javascript`.
        guard scheme == "https" || scheme == "http" else { throw APIError(.invalidContinueURI, "((unsupported scheme))") }
        // Browsers read `\` as `/` and decode hosts once more, so they may see another host than a parser.
        guard let address = WebAddress(text), Self.agrees(address, with: parts) else {
            throw APIError(.invalidContinueURI, "((unsupported characters))")
        }
        guard AuthorizedHosts(domains, publicURL: publicURL()).contains(address.host) else {
            throw APIError(.unauthorizedDomain, "Domain not allowlisted by project")
        }
    }

    /// Checks an address that a page of this server leads on to. It must be a web address that ``check(_:domains:)`` accepts, in
    /// any mode.
    package func webAddress(_ text: String, domains: [String]) -> URLComponents? {
        guard (try? check(text, domains: domains)) != nil, let parts = URLComponents(string: text),
            let address = WebAddress(text), Self.agrees(address, with: parts)
        else { return nil }
        return parts
    }

    // The page leads on to the components, so they must name the host that was checked.
    private static func agrees(_ address: WebAddress, with parts: URLComponents) -> Bool {
        parts.user == nil && parts.password == nil && parts.port == address.authority.port
            && parts.encodedHost.flatMap { Authority($0)?.host } == address.host
    }
}
