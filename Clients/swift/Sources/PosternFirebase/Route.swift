import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Which requests go to Postern, and how they are addressed there.
struct Route: Sendable {
    /// Percent-encoded; an IPv6 address is in brackets.
    private let host: String
    private let scheme: String
    private let port: Int?

    /// - Parameter url: Postern's origin.
    /// - Throws: `PosternFirebaseError` where it is not one.
    init(to url: URL) throws(PosternFirebaseError) {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: true), let host = parts.percentEncodedHost,
            !host.isEmpty
        else { throw .hostIsMissing }
        let scheme = parts.scheme?.lowercased() ?? ""
        guard scheme == "https" || (scheme == "http" && Self.isLoopback(host)) else { throw .schemeIsNotHTTPS }
        guard
            parts.user == nil, parts.password == nil, parts.percentEncodedQuery == nil, parts.percentEncodedFragment == nil,
            ["", "/"].contains(parts.percentEncodedPath), parts.port.map({ (1...65535).contains($0) }) ?? true
        else { throw .urlIsNotAnOrigin }
        guard Self.paths[host.lowercased()] == nil else { throw .hostIsGoogles }
        self.host = host
        self.scheme = scheme
        self.port = parts.port
    }

    /// The SDK's hosts, and what the paths begin with that it asks there. `www.googleapis.com` serves many of Google's interfaces: what
    /// an app asks of the others, with the user's Google tokens, is none of Postern's business.
    private static let paths = [
        "identitytoolkit.googleapis.com": "/",
        "securetoken.googleapis.com": "/",
        "www.googleapis.com": "/identitytoolkit/",
    ]

    /// - Returns: `request`, addressed to Postern; or nil where it is none of the SDK's and stays as it is.
    func request(for request: URLRequest) -> URLRequest? {
        guard
            let url = request.url, var parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
            parts.scheme?.lowercased() == "https", [nil, 443].contains(parts.port), parts.user == nil, parts.password == nil,
            let path = Self.paths[parts.host?.lowercased() ?? ""], parts.percentEncodedPath.hasPrefix(path)
        else { return nil }
        parts.scheme = scheme
        parts.percentEncodedHost = host
        parts.port = port
        guard let url = parts.url else { return nil }
        var request = request
        request.url = url
        return request
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host.lowercased() == "localhost" || host == "[::1]" { return true }
        let bytes = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return bytes.count == 4 && bytes.first == 127 && !bytes.contains(nil)
    }

    private static let store = Locked<Route?>(nil)

    /// The route that `PosternFirebase.use(_:)` set; nil before.
    static var current: Route? {
        get { store.withLock { $0 } }
        set { store.withLock { $0 = newValue } }
    }
}
