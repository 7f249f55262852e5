import Accounts
import HTTPTypes

/// What a call does when an administrator makes it, which tells the scopes that allow it (threat case TEN-04).
enum AdminNeed: Sendable, Hashable, CaseIterable {
    case readUsers
    case changeUsers
    case readConfiguration
    case changeConfiguration
    /// What nobody said anything of: for full administrators only.
    case everything

    /// Calls that only read, though they are no GET.
    private static let readings = ["accounts:lookup", "accounts:query", "accounts:batchGet", ":queryAccounts"]
    private static let users = ["accounts", "sessioncookie"]
    private static let configuration = [
        "config", "tenants", "identityplatform", "v1/projects", "passwordpolicy", "recaptcha", "defaultsupportedidps",
    ]

    /// The one place that decides for routes that say nothing themselves: by method, and by what the path is about. What is not
    /// known to read counts as a change, and what is about nothing known, or has no path, needs every scope.
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
