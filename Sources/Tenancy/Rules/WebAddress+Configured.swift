import Foundation
package import Project

extension WebAddress {
    /// Reads an absolute URL of the configuration: with an allowed scheme and a valid host, without credentials and fragment.
    package init?(configured text: String, network: NetworkGuard) {
        guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
            let components = URLComponents(string: text), components.fragment == nil,
            let address = WebAddress(text), network.allows(scheme: address.isSecure ? "https" : "http")
        else { return nil }
        self = address
    }

    /// Whether it can be an issuer, which has no query (OpenID Connect Discovery 1.0 §3).
    var isIssuer: Bool { !rest.utf8.contains(UInt8(ascii: "?")) }
}
