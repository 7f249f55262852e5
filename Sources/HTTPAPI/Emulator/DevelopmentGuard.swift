import Hummingbird
import Project

/// Keeps web pages away from a developer's local server (`design/architecture.md` §4, threat case EMU-03): a page of a foreign
/// origin may make the calls that SDKs make with an API key, and no others; a foreign name for this server is DNS rebinding.
struct DevelopmentGuard: Sendable {
    /// `development.allowRemote`: other machines know this one by names that it does not know itself.
    let allowsRemote: Bool
    /// `server.publicURL`
    let publicURL: @Sendable () -> String

    /// Checks a request.
    ///
    /// - Throws: ``TransportError``.
    func check(_ request: Request) throws {
        if !allowsRemote, let named = request.namedHost, Authority(named).map({ isOurName($0.host) }) != true {
            throw TransportError.foreign("The host \(Self.shown(named)) is not served in development mode.")
        }
        guard let origin = request.headers[.origin] else { return try checkWithoutOrigin(request) }
        guard !isOurPage(origin), mayNotCall(request) else { return }
        throw TransportError.foreign("Pages of \(Self.shown(origin)) may only make the calls of client SDKs.")
    }

    // A link, an image or a form of a foreign page names no origin. It may lead to a page, as links in e-mails do, but not to
    // what the test endpoints tell.
    private func checkWithoutOrigin(_ request: Request) throws {
        guard request.headers[.secFetchSite] == "cross-site", Self.parts(request).prefix(2) == ["emulator", "v1"] else { return }
        throw TransportError.foreign("Other sites' pages may not lead to the test endpoints.")
    }

    // As the router sees it, for which doubled slashes are one.
    private static func parts(_ request: Request) -> [Substring] { request.uri.path.split(separator: "/") }

    // Privileged calls, and the test endpoints, which ask for no credentials. A preflight may announce credentials, as the
    // emulator's own tests do: what it announces comes with an origin, too, and is refused then.
    private func mayNotCall(_ request: Request) -> Bool {
        request.headers[.authorization] != nil || Self.parts(request).first == "emulator"
    }

    // Any address will do, as no rebinding changes one.
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
