import HTTPTypes

/// The path of an endpoint and its permitted callers; ``RouteTable`` serves every spelling of the path
/// (`contract/conventions.md` §1).
struct Route: Sendable {
    /// The credentials that a route accepts.
    enum Access: Sendable {
        /// An API key, or an administrator's bearer token.
        case apiKeyOrAdmin
        /// An API key; a bearer token gives no rights.
        case apiKeyOnly
        /// Only an administrator's bearer token.
        case adminOnly
        /// No credentials.
        case open
    }

    /// The permitted encodings of a body.
    enum BodyForm: Sendable {
        case json
        /// Form pairs or JSON, by `Content-Type`.
        case formOrJSON
    }

    /// The Google host that SDKs put before the path when they talk to an emulator.
    enum Host: String, Sendable {
        /// Paths that exist at no Google host.
        case none = ""
        case identityToolkit = "identitytoolkit.googleapis.com"
        case secureToken = "securetoken.googleapis.com"
    }

    let method: HTTPRequest.Method
    let host: Host
    /// The path, such as `v1/accounts:signUp`; `nil` when the route has other names only.
    var path: String?
    /// The name under `identitytoolkit/v3/relyingparty/`, which the iOS SDK calls.
    var legacyName: String?
    /// The part after `v1/projects/{project}[/tenants/{tenant}]/` in the administrators' form of the path.
    var projectPath: String?
    /// The part after `projects/{project}` in the v2 administration API. The Firebase CLI calls it under `admin/`.
    var adminPath: String?
    /// The part after `v1/projects/{project}[/tenants/{tenant}]:`.
    var projectMethod: String?
    /// The largest body of an administrator in bytes, when the server's own limit is too small.
    var bodyLimit: Int?
    var access = Access.apiKeyOrAdmin
    var bodyForm = BodyForm.json
    /// The need of an administrator's call, when ``AdminNeed/init(method:path:)`` would decide wrongly or has no path.
    var need: AdminNeed?

    /// The need of an administrator's call.
    var adminNeed: AdminNeed {
        need ?? AdminNeed(method: method, path: path ?? adminPath ?? projectPath ?? projectMethod.map { ":" + $0 } ?? "")
    }

    /// All spellings of the path.
    var paths: [String] {
        var bare = [path].compactMap(\.self)
        if let adminPath { bare += ["v2/projects/{project}\(adminPath)", "admin/v2/projects/{project}\(adminPath)"] }
        if let projectPath {
            bare.append("v1/projects/{project}/\(projectPath)")
            bare.append("v1/projects/{project}/tenants/{tenant}/\(projectPath)")
        }
        if let projectMethod {
            bare.append("v1/projects/{project}:\(projectMethod)")
            bare.append("v1/projects/{project}/tenants/{tenant}:\(projectMethod)")
        }
        if host == .none { return bare.map { "/" + $0 } }
        var all = bare + bare.map { "\(host.rawValue)/\($0)" }
        if let legacyName {
            let legacy = Self.legacyPrefix + legacyName
            all += [legacy, "www.googleapis.com/\(legacy)"]
        }
        return all.map { "/" + $0 }
    }
}

extension Route {
    private static let legacyPrefix = "identitytoolkit/v3/relyingparty/"

    /// Whether a path is a v3 alias.
    static func isLegacy(_ path: String) -> Bool { path.contains("/" + legacyPrefix) }

    /// Makes a route of the v2 administration API (`contract/admin-config.md` §1).
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The part after `projects/{project}`.
    /// - Returns: The route, for administrators only.
    static func admin(_ method: HTTPRequest.Method, _ path: String) -> Route {
        Route(method: method, host: .identityToolkit, adminPath: path, access: .adminOnly)
    }

    /// Makes a route of the emulator's own API, which needs no credentials and is served in development only
    /// (`contract/emulator-endpoints.md` §2).
    static func emulator(_ method: HTTPRequest.Method, _ path: String) -> Route {
        Route(method: method, host: .none, path: "emulator/v1/\(path)", access: .open)
    }
}
