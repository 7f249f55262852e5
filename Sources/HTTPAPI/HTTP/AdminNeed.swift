import Project

/// The kind of an administrator's call, which decides the scopes that allow it (threat case TEN-04).
enum AdminNeed: Sendable, Hashable, CaseIterable {
    case readUsers
    case changeUsers
    case deleteUsers
    case readConfiguration
    case changeConfiguration
    /// For full administrators only.
    case everything

    /// Whether a credential's scopes allow the call.
    func isMet(by scopes: AdminScopes) -> Bool {
        switch self {
        case .readUsers: !scopes.isDisjoint(with: [.read, .edit])
        case .changeUsers: scopes.contains(.edit)
        case .deleteUsers: scopes.contains(.delete)
        case .readConfiguration: !scopes.isDisjoint(with: [.read, .config])
        case .changeConfiguration: scopes.contains(.config)
        case .everything: scopes.isSuperset(of: .all)
        }
    }
}
