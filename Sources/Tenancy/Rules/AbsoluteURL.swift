import Foundation
package import Project

/// An absolute URL in the configuration: with an allowed scheme and a valid host, without credentials and fragment.
package struct AbsoluteURL: Sendable {
    let components: URLComponents
    /// The URL with its parsed host.
    let address: WebAddress

    private static let maximumLength = 2048

    /// Reads a URL; `nil` when it is not allowed.
    package init?(_ text: String, network: NetworkGuard) {
        guard text.utf8.count <= Self.maximumLength, text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
            let components = URLComponents(string: text), let scheme = components.scheme, network.allows(scheme: scheme),
            let address = WebAddress(text), components.user == nil, components.password == nil, components.fragment == nil
        else { return nil }
        self.components = components
        self.address = address
    }

    /// Whether it can be an issuer, which has no query (OpenID Connect Discovery 1.0 §3).
    var isIssuer: Bool { components.query == nil }
}
