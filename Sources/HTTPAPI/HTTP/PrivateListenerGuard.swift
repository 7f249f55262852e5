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
    private static let privateZones: Set<String> = ["localhost", "local", "internal", "svc"]

    /// Checks a request.
    ///
    /// - Throws: ``TransportError``.
    func check(_ request: Request) throws {
        let authority = request.namedHost.flatMap(Authority.init)
        if let named = request.namedHost, !(authority.map { isPrivate($0.host) } ?? Self.isService(named)) {
            throw TransportError.foreign("The private listener is not called by this name: use an address.")
        }
        guard let origin = request.headers[.origin] else { return }
        guard let page = WebAddress(origin), page.rest.isEmpty, page.authority == authority else {
            throw TransportError.foreign("Web pages may not call the private listener.")
        }
    }

    private func isPrivate(_ host: HostName) -> Bool {
        let labels = host.text.split(separator: ".")
        return labels.count == 1 || host.address != nil || labels.last.map { Self.privateZones.contains(String($0)) } == true
            || host == WebAddress(publicURL())?.host
    }

    // A name with dots could be a stranger's.
    private static func isService(_ authority: String) -> Bool { ServiceName(authority: authority)?.isSingleLabel == true }
}
