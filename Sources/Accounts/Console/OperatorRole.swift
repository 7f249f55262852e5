package import Project

/// What an operator of the console may do: a name for a set of scopes, so that the console has no rules of its own.
package enum OperatorRole: String, Sendable, CaseIterable {
    /// Everything, and the other operators.
    case owner
    /// Everything but other operators.
    case administrator
    /// Reads all, and changes users but deletes none. Neither codes nor links nor whole phone numbers are shown.
    case support
    /// Reads all, without secrets.
    case viewer

    /// What the role may do at the Admin API.
    package var scopes: AdminScopes {
        switch self {
        case .owner, .administrator: .all
        case .support: [.read, .edit]
        case .viewer: .read
        }
    }

    /// Whether the role invites, changes and removes operators.
    package var managesOperators: Bool { self == .owner }

    /// Whether whole phone numbers, codes and links are shown to the role.
    package var seesWholeNumbers: Bool { self == .owner || self == .administrator }
}
