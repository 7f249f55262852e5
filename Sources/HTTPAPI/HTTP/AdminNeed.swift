import Accounts
import HTTPTypes

/// What a call does when an administrator makes it, which tells the scopes that allow it (threat case TEN-04).
enum AdminNeed: Sendable, Hashable, CaseIterable {
    case readUsers
    case changeUsers
    case readConfiguration
    case changeConfiguration

    /// Calls that only read, though they are no GET.
    private static let readings = ["accounts:lookup", "accounts:query", "accounts:batchGet", ":queryAccounts"]

    /// The one place that decides for routes that say nothing themselves: by method, and by what the path is about. What is not
    /// known to read counts as a change.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The route's template.
    init(method: HTTPRequest.Method, path: String) {
        let isReading = method == .get || Self.readings.contains { path.hasSuffix($0) }
        let subject = path.lowercased()
        if subject.contains("accounts") || subject.contains("sessioncookie") {
            self = isReading ? .readUsers : .changeUsers
        } else {
            self = isReading ? .readConfiguration : .changeConfiguration
        }
    }

    /// Whether a credential's scopes allow the call.
    func isMet(by scopes: AdminScopes) -> Bool {
        switch self {
        case .readUsers: !scopes.isDisjoint(with: [.read, .users])
        case .changeUsers: scopes.contains(.users)
        case .readConfiguration: !scopes.isDisjoint(with: [.read, .config])
        case .changeConfiguration: scopes.contains(.config)
        }
    }
}
