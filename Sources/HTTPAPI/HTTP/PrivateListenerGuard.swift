import Foundation
import Hummingbird
import Project

/// Keeps web pages away from the private listener, where a fixed word makes an administrator: a page that an operator looks at
/// reaches whatever their machine reaches (threat cases EMU-02 and EMU-03). Admin SDKs and monitors send no `Origin`.
///
/// A page whose name was made to lead here (DNS rebinding) calls its own origin, so the name itself must be one that no stranger
/// can have: an address, a name without dots, one of a private zone, or the host of `server.publicURL`.
struct PrivateListenerGuard: Sendable {
    /// `server.publicURL`
    let publicURL: @Sendable () -> String

    // RFC 6761, RFC 6762, ICANN's reservation of .internal, and Kubernetes' services.
    private static let privateZones = [".localhost", ".local", ".internal", ".svc"]

    /// Checks a request.
    ///
    /// - Throws: ``TransportError``.
    func check(_ request: Request) throws {
        let authority = request.head.authority?.lowercased()
        if let authority, !isPrivate(Self.host(ofAuthority: authority)) {
            throw TransportError.foreign("The private listener is not called by this name: use an address.")
        }
        guard let origin = request.headers[.origin] else { return }
        guard let components = URLComponents(string: origin), let host = components.host, let authority,
            authority == (components.port.map { "\(host):\($0)" } ?? host).lowercased()
        else { throw TransportError.foreign("Web pages may not call the private listener.") }
    }

    private func isPrivate(_ host: String) -> Bool {
        !host.contains(".") || IPAddress(host) != nil || Self.privateZones.contains { host.hasSuffix($0) }
            || host == URLComponents(string: publicURL())?.host?.lowercased()
    }

    private static func host(ofAuthority authority: String) -> String {
        String(authority.hasPrefix("[") ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { $0 != ":" })
    }
}
