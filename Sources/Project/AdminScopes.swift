/// The permissions of an administrator's credential.
package struct AdminScopes: OptionSet, Sendable, Hashable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Reading accounts and configuration, without secrets.
    package static let read = AdminScopes(rawValue: 1)
    /// Reading and changing accounts, and acting for users, without deleting any.
    package static let edit = AdminScopes(rawValue: 2)
    /// Reading and changing configuration, without reading secrets.
    package static let config = AdminScopes(rawValue: 4)
    /// Deleting accounts.
    package static let delete = AdminScopes(rawValue: 8)
    /// Reading, changing and deleting accounts, and acting for users.
    package static let users: AdminScopes = [.edit, .delete]
    /// Everything, secrets and password hashes included.
    package static let all: AdminScopes = [.read, .users, .config]

    // A scope that holds others goes before them, so that both together have its name. Servers before `edit` and `delete` knew `users`.
    private static let names: [(name: String, scope: AdminScopes)] = [
        ("read", .read), ("users", .users), ("edit", .edit), ("delete", .delete), ("config", .config),
    ]

    /// Reads words separated by spaces, as they are stored.
    ///
    /// - Returns: `nil` when there is no word or an unknown one, so a credential that cannot be read opens nothing.
    package init?(text: String) {
        var scopes: AdminScopes = []
        for word in text.split(separator: " ") {
            guard let known = AdminScopes(word: String(word)) else { return nil }
            scopes.formUnion(known)
        }
        guard !scopes.isEmpty else { return nil }
        self = scopes
    }

    /// Reads one word: `read`, `users`, `edit`, `delete`, `config` or `all`.
    package init?(word: String) {
        if word == "all" {
            self = .all
        } else if let known = Self.names.first(where: { $0.name == word }) {
            self = known.scope
        } else {
            return nil
        }
    }

    /// The scopes as words, for people and for the store.
    package var words: [String] {
        var rest = self
        return Self.names.compactMap { name, scope in
            guard rest.contains(scope) else { return nil }
            rest.subtract(scope)
            return name
        }
    }
}

/// An administrator, identified by a credential.
package struct Administrator: Sendable, Hashable {
    /// The administrator's name in the audit trail.
    package let actor: String
    package let scopes: AdminScopes

    package init(actor: String, scopes: AdminScopes) {
        self.actor = actor
        self.scopes = scopes
    }
}
