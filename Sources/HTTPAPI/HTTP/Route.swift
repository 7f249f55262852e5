import HTTPTypes

/// Where an endpoint is found and who may call it; ``RouteTable`` spells it in every dialect (`contract/conventions.md` §1).
struct Route: Sendable {
    /// The credentials that a route accepts.
    enum Access: Sendable {
        /// An API key, or an administrator's bearer token.
        case apiKeyOrAdmin
        /// An API key; a bearer token does not help.
        case apiKeyOnly
        /// An administrator's bearer token and nothing else.
        case adminOnly
        /// Nothing.
        case open
    }

    /// How a body is written.
    enum BodyForm: Sendable {
        case json
        /// Form pairs or JSON, as `Content-Type` says.
        case formOrJSON
    }

    /// The Google host whose path prefix the SDKs put in front when they talk to an emulator.
    enum Host: String, Sendable {
        /// Paths that no Google host has.
        case none = ""
        case identityToolkit = "identitytoolkit.googleapis.com"
        case secureToken = "securetoken.googleapis.com"
    }

    let method: HTTPRequest.Method
    let host: Host
    /// `v1/accounts:signUp`; `nil` for what is found by its other names only.
    var path: String?
    /// The name under `identitytoolkit/v3/relyingparty/`, which the iOS SDK calls.
    var legacyName: String?
    /// What stands behind `v1/projects/{project}[/tenants/{tenant}]/` in the administrators' form of the path.
    var projectPath: String?
    /// What stands behind `projects/{project}` in the v2 administration API, which the Firebase CLI calls under `admin/`.
    var adminPath: String?
    /// What stands behind `v1/projects/{project}[/tenants/{tenant}]:`.
    var projectMethod: String?
    /// The largest body of an administrator, in bytes, where the server's own limit is too small.
    var bodyLimit: Int?
    var access = Access.apiKeyOrAdmin
    var bodyForm = BodyForm.json
    /// What an administrator's call does, where ``AdminNeed/init(method:path:)`` would decide wrongly or has no path to go by.
    var need: AdminNeed?

    /// What an administrator's call does.
    var adminNeed: AdminNeed {
        need ?? AdminNeed(method: method, path: path ?? adminPath ?? projectPath ?? projectMethod.map { ":" + $0 } ?? "")
    }

    /// Every spelling of the path.
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

    /// A method of the v2 administration API (`contract/admin-config.md` §1).
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: What stands behind `projects/{project}`.
    /// - Returns: The route, for administrators only.
    static func admin(_ method: HTTPRequest.Method, _ path: String) -> Route {
        Route(method: method, host: .identityToolkit, adminPath: path, access: .adminOnly)
    }

    /// A method of the emulator's own API, which asks for no credentials and is there in development only
    /// (`contract/emulator-endpoints.md` §2).
    static func emulator(_ method: HTTPRequest.Method, _ path: String) -> Route {
        Route(method: method, host: .none, path: "emulator/v1/\(path)", access: .open)
    }
}
