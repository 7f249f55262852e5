import HTTPTypes
import Hummingbird

/// The cookie that binds a sign-in to the browser in which it began (threat case OAU-01). API calls do not use it.
struct BrowserCookie: Sendable {
    /// Whether the server's public URL is https.
    let isSecure: Bool

    private static let lifetimeSeconds = 3600

    // With this prefix, no other host of the domain can set the cookie (RFC 6265bis §4.1.3.2).
    private var name: String { isSecure ? "__Host-postern-browser" : "postern-browser" }

    func value(in request: Request) -> String? {
        for pair in request.headers[values: .cookie].flatMap({ $0.split(separator: ";") }) {
            let parts = pair.split(separator: "=", maxSplits: 1)
            if parts.count == 2, parts[0].filter({ $0 != " " }) == name { return String(parts[1]) }
        }
        return nil
    }

    /// Makes the header that sets the cookie.
    ///
    /// Providers post from another site, which requires `SameSite=None`, and browsers accept that only with `Secure`. Under plain
    /// http the browsers' default applies, and the handler first forwards a post without the cookie to its own site.
    func header(_ value: String) -> String {
        let common = "\(name)=\(value); Path=/; Max-Age=\(Self.lifetimeSeconds); HttpOnly"
        return isSecure ? common + "; Secure; SameSite=None" : common
    }
}
