import HTTPTypes

/// The path of an endpoint and its permitted callers; ``RouteTable`` serves every spelling of the path
/// (`Docs/Contract/conventions.md` §1).
struct Route: Sendable {
    /// The credentials that a route accepts, and the scopes that an administrator's credential needs there.
    enum Access: Sendable {
        /// An API key, or an administrator's bearer token.
        case apiKeyOrAdmin(AdminNeed)
        /// An API key; a bearer token gives no rights.
        case apiKeyOnly
        /// An API key, or an administrator's bearer token in its place, which gives no rights either.
        case apiKeyOrBearer
        /// Only an administrator's bearer token.
        case adminOnly(AdminNeed)
        /// No credentials.
        case open

        /// The kind of an administrator's call. A route that names none needs every scope.
        var need: AdminNeed {
            switch self {
            case .apiKeyOrAdmin(let need), .adminOnly(let need): need
            case .apiKeyOnly, .apiKeyOrBearer, .open: .everything
            }
        }

        /// Whether a bearer token makes the caller an administrator.
        var knowsAdministrators: Bool {
            switch self {
            case .apiKeyOnly, .apiKeyOrBearer: false
            case .apiKeyOrAdmin, .adminOnly, .open: true
            }
        }

        /// Whether a valid bearer token stands in for an API key.
        var takesBearerForKey: Bool {
            if case .apiKeyOrBearer = self { true } else { false }
        }

        /// Whether an API key is not enough.
        var isForAdministrators: Bool {
            if case .adminOnly = self { true } else { false }
        }

        /// Whether a call needs no credential.
        var isOpen: Bool {
            if case .open = self { true } else { false }
        }
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
        case iamCredentials = "iamcredentials.googleapis.com"
    }

    // What most methods are.
    var method = HTTPRequest.Method.post
    var host = Host.identityToolkit
    /// Who may call. It has no default: a route that does not say it does not compile (threat case TEN-04).
    let access: Access
    /// `v1/accounts:signUp`; `nil` for a route that has other names only.
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
    var bodyForm = BodyForm.json

    /// Whether a body may have form pairs. Clients of `accounts:*` may send them whatever the route says, as those for Dart do.
    func takesForms(isPrivileged: Bool) -> Bool {
        bodyForm == .formOrJSON || !isPrivileged && path?.hasPrefix("v1/accounts:") == true
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

    /// Makes a route of the v2 administration API (`Docs/Contract/admin-config.md` §1).
    ///
    /// - Parameter path: The part after `projects/{project}`.
    static func admin(_ method: HTTPRequest.Method, _ need: AdminNeed, _ path: String) -> Route {
        Route(method: method, host: .identityToolkit, access: .adminOnly(need), adminPath: path)
    }

    /// Makes a route of the emulator's own API, which needs no credentials and is served in development only
    /// (`Docs/Contract/emulator-endpoints.md` §2).
    static func emulator(_ method: HTTPRequest.Method, _ path: String) -> Route {
        Route(method: method, host: .none, access: .open, path: "emulator/v1/\(path)")
    }
}
