import HTTPTypes
import Hummingbird

/// The cookie that ties a sign-in to the browser in which it began (threat case OAU-01). No API call looks at it.
struct BrowserCookie: Sendable {
    /// Whether the server is reached by https.
    let isSecure: Bool

    private static let lifetimeSeconds = 3600

    // With the prefix, no other host of the domain can set it (RFC 6265bis §4.1.3.2).
    private var name: String { isSecure ? "__Host-postern-browser" : "postern-browser" }

    /// The cookie of a request.
    func value(in request: Request) -> String? {
        for pair in request.headers[values: .cookie].flatMap({ $0.split(separator: ";") }) {
            let parts = pair.split(separator: "=", maxSplits: 1)
            if parts.count == 2, parts[0].filter({ $0 != " " }) == name { return String(parts[1]) }
        }
        return nil
    }

    /// The header that sets it.
    ///
    /// Providers' posts come from another site, hence `SameSite=None`, which browsers take with `Secure` only. Under plain http their
    /// own default has to do, and the handler takes a post that came without the cookie to our own site first.
    func header(_ value: String) -> String {
        let common = "\(name)=\(value); Path=/; Max-Age=\(Self.lifetimeSeconds); HttpOnly"
        return isSecure ? common + "; Secure; SameSite=None" : common
    }
}
