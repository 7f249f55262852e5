import Hummingbird
import Project

/// Protects a developer's local server from web pages (`Docs/Architecture.md#modes`, threat case EMU-03). A page of another
/// origin may make only the calls that SDKs make with an API key. A request with another host name is refused as DNS rebinding.
struct DevelopmentGuard: Sendable {
    /// `development.allowRemote`: other machines may use host names that this one does not know.
    let allowsRemote: Bool
    /// `server.publicURL`
    let publicURL: @Sendable () -> String

    /// Checks a request.
    ///
    /// - Parameter isKnownHost: Whether its host passed before, so that it need not be read again.
    func check(_ request: Request, isKnownHost: Bool) throws {
        if !allowsRemote, !isKnownHost, let named = request.namedHost, Authority(named).map({ isOurName($0.host) }) != true {
            throw TransportError.forbidden("The host \(Self.shown(named)) is not served in development mode.")
        }
        guard let origin = request.headers[.origin] else { return try checkWithoutOrigin(request) }
        guard !isOurPage(origin), mayNotCall(request) else { return }
        throw TransportError.forbidden("Pages of \(Self.shown(origin)) may only make the calls of client SDKs.")
    }

    // A link, an image or a form of another site's page sends no origin. It may lead to a page, as links in e-mails do, but not
    // to the test endpoints.
    private func checkWithoutOrigin(_ request: Request) throws {
        guard request.headers[.secFetchSite] == "cross-site", Self.parts(request).prefix(2) == ["emulator", "v1"] else { return }
        throw TransportError.forbidden("Other sites' pages may not lead to the test endpoints.")
    }

    // The path's parts as the router sees them, which treats doubled slashes as one.
    private static func parts(_ request: Request) -> [Substring] { request.uri.path.split(separator: "/") }

    // These are privileged calls and the test endpoints, which need no credentials. A preflight may announce credentials, as the
    // emulator's own tests do; the request that follows has an origin and is refused.
    private func mayNotCall(_ request: Request) -> Bool {
        request.headers[.authorization] != nil || Self.parts(request).first == "emulator"
    }

    // Any IP address is accepted, because DNS rebinding needs a name.
    private func isOurName(_ host: HostName) -> Bool { Self.isLocal(host) || host.address != nil || host == publicHost }

    private func isOurPage(_ origin: String) -> Bool {
        guard let host = WebAddress(origin)?.host else { return false }
        return Self.isLocal(host) || host.address?.isLoopback == true || host == publicHost
    }

    private var publicHost: HostName? { WebAddress(publicURL())?.host }

    // The last label decides (RFC 6761 §6.3).
    private static func isLocal(_ host: HostName) -> Bool { host.text.split(separator: ".").last == "localhost" }

    private static func shown(_ text: String) -> String { String(decoding: text.utf8.prefix(200), as: UTF8.self) }
}
