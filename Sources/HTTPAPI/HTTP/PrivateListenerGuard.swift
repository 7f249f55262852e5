import Hummingbird
import Project

/// Protects the private listener from web pages, because a fixed word makes an administrator there and a page in an operator's
/// browser reaches what the operator's machine reaches (threat cases EMU-02 and EMU-03). Admin SDKs and monitors send no
/// `Origin`.
///
/// With DNS rebinding a page calls its own origin, so the host name must be one that no stranger can have: an address, a name
/// without dots, a name of a private zone, or the host of `server.publicURL` or `console.url`.
struct PrivateListenerGuard: Sendable {
    /// `server.publicURL`, and the console's own.
    let urls: [@Sendable () -> String]

    // These zones are reserved by RFC 6761, RFC 6762, ICANN (.internal) and Kubernetes (services).
    private static let privateZones: Set<String> = ["localhost", "local", "internal", "svc"]

    func check(_ request: Request) throws {
        let authority = request.namedHost.flatMap(Authority.init)
        if let named = request.namedHost, !(authority.map { isPrivate($0.host) } ?? Self.isService(named)) {
            throw TransportError.forbidden("The private listener is not called by this name: use an address.")
        }
        guard let origin = request.headers[.origin] else { return }
        guard let page = WebAddress(origin), page.rest.isEmpty, page.authority == authority || isOwn(page, authority) else {
            throw TransportError.forbidden("Web pages may not call the private listener.")
        }
    }

    // A proxy with TLS is called by a port of its own, or by none, and a page's origin has that port.
    private func isOwn(_ page: WebAddress, _ authority: Authority?) -> Bool {
        urls.contains { WebAddress($0())?.origin == page.origin } && page.host == authority?.host
    }

    private func isPrivate(_ host: HostName) -> Bool {
        let labels = host.text.split(separator: ".")
        return labels.count == 1 || host.address != nil || labels.last.map { Self.privateZones.contains(String($0)) } == true
            || urls.contains { host == WebAddress($0())?.host }
    }

    // A name with dots could belong to a stranger.
    private static func isService(_ authority: String) -> Bool { ServiceName(authority: authority)?.isSingleLabel == true }
}
