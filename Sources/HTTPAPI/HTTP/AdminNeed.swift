import Accounts
import HTTPTypes

/// The kind of an administrator's call, which decides the scopes that allow it (threat case TEN-04).
enum AdminNeed: Sendable, Hashable, CaseIterable {
    case readUsers
    case changeUsers
    case readConfiguration
    case changeConfiguration
    /// A call of no known kind, for full administrators only.
    case everything

    /// Calls that only read, although their method is not GET.
    private static let readings = ["accounts:lookup", "accounts:query", "accounts:batchGet", ":queryAccounts"]
    private static let users = ["accounts", "sessioncookie"]
    private static let configuration = [
        "config", "tenants", "identityplatform", "v1/projects", "passwordpolicy", "recaptcha", "defaultsupportedidps",
    ]

    /// Decides for routes without a declared need, by the method and the subject of the path. A call that is not known to read
    /// counts as a change. A path with an unknown subject, or no path, needs every scope.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The route's template.
    init(method: HTTPRequest.Method, path: String) {
        let isReading = method == .get || Self.readings.contains { path.hasSuffix($0) }
        let subject = path.lowercased()
        if Self.users.contains(where: subject.contains) {
            self = isReading ? .readUsers : .changeUsers
        } else if Self.configuration.contains(where: subject.contains) {
            self = isReading ? .readConfiguration : .changeConfiguration
        } else {
            self = .everything
        }
    }

    /// Whether a credential's scopes allow the call.
    func isMet(by scopes: AdminScopes) -> Bool {
        switch self {
        case .readUsers: !scopes.isDisjoint(with: [.read, .users])
        case .changeUsers: scopes.contains(.users)
        case .readConfiguration: !scopes.isDisjoint(with: [.read, .config])
        case .changeConfiguration: scopes.contains(.config)
        case .everything: scopes.isSuperset(of: .all)
        }
    }
}
