import HTTPTypes
import Hummingbird
import Project

/// The host that a browser asked a proxy for, where the proxy does not keep `Host` and is one of `server.trustedProxies`.
///
/// Only sign-in flows, their cookies and their return addresses go by it. What is mailed, published or guarded never does (threat
/// cases KEY-04 and OOB-01): a client whose header a proxy passes on must not choose where secrets go.
struct ForwardedHost: Sendable {
    private let trusted: [CIDR]

    init(trusted: [CIDR]) { self.trusted = trusted }

    /// Finds the host. Several hosts leave open which one is the browser's.
    ///
    /// - Returns: The header's only host, with its port; `nil` where there is none, or another peer says so.
    func named(in request: Request, _ context: PosternContext) -> Authority? {
        let named = request.headers[values: .forwardedHost]
        guard named.count == 1, let host = Authority(named[0]),
            let peer = context.remoteAddress?.ipAddress.flatMap(IPAddress.init), trusted.contains(where: { $0.contains(peer) })
        else { return nil }
        return host
    }
}
