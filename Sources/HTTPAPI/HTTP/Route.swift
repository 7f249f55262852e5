import HTTPTypes

/// Where an endpoint is found and who may call it; ``RouteTable`` spells it in every dialect (`contract/conventions.md` §1).
struct Route: Sendable {
    /// The credentials that a route accepts.
    enum Access: Sendable {
        /// An API key, or an administrator's bearer token.
        case apiKeyOrAdmin
        /// An API key; a bearer token does not help.
        case apiKeyOnly
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
    /// What stands behind `v1/projects/{project}[/tenants/{tenant}]:`.
    var projectMethod: String?
    /// The largest body, in bytes, where the server's own limit is too small.
    var bodyLimit: Int?
    var access = Access.apiKeyOrAdmin
    var bodyForm = BodyForm.json

    /// Every spelling of the path.
    var paths: [String] {
        var bare = [path].compactMap(\.self)
        if let projectPath {
            bare.append("v1/projects/{project}/\(projectPath)")
            bare.append("v1/projects/{project}/tenants/{tenant}/\(projectPath)")
        }
        if let projectMethod {
            bare.append("v1/projects/{project}:\(projectMethod)")
            bare.append("v1/projects/{project}/tenants/{tenant}:\(projectMethod)")
        }
        var all = bare + bare.map { "\(host.rawValue)/\($0)" }
        if let legacyName {
            let legacy = "identitytoolkit/v3/relyingparty/\(legacyName)"
            all += [legacy, "www.googleapis.com/\(legacy)"]
        }
        return all.map { "/" + $0 }
    }
}
