/// The owner of accounts: a project, or one tenant of it (`contract/conventions.md` §2.1).
package struct Scope: Sendable, Hashable {
    package let projectID: String
    package let tenantID: String?

    package init(projectID: String, tenantID: String? = nil) {
        self.projectID = projectID
        self.tenantID = tenantID
    }

    /// The tenant as the store's keys have it: the empty text at the project level.
    package var tenantKey: String { tenantID ?? "" }

    /// The project level of this scope.
    package var project: Scope { Scope(projectID: projectID) }
}

/// How the server behaves (`design/architecture.md` §4).
package enum ServerMode: String, Sendable, Hashable, CaseIterable {
    case production
    case development
}

extension ServerMode {
    /// Whether an ID token names its session and is good only while that session lives (`contract/rulings.md` 10). The emulator's
    /// tokens know no sessions.
    package var bindsIDTokensToSessions: Bool { self == .production }
}
