package import Project

/// What the rules know of the call that they serve; nothing of HTTP.
package struct CallContext: Sendable {
    /// The project, and the tenant if the request named one.
    package var scope: Scope
    /// Whether an administrator calls.
    package var isPrivileged: Bool
    /// Who acts, as the audit trail calls them: `user`, or the administrator's credential.
    package var actor: String
    /// What the administrator may do; empty for anybody else. The route's own need has been checked before.
    package var adminScopes: AdminScopes
    /// The client's address, for the audit trail.
    package var address: String?
    /// `X-Firebase-Locale`.
    package var locale: String?
    /// `Accept-Language`.
    package var acceptLanguage: String?
    /// The client's `User-Agent`, shown beside its session.
    package var userAgent: String?
    /// `X-Ios-Bundle-Identifier`: which app says that it calls.
    package var iosBundleID: String?

    // What a client's headers say of it goes into rows, messages and calls: longer than any real one, and cut there.
    private static let maximumHeaderBytes = 1024
    private static let maximumLocaleBytes = 64

    package init(
        scope: Scope,
        isPrivileged: Bool = false,
        actor: String? = nil,
        adminScopes: AdminScopes = [],
        address: String? = nil,
        userAgent: String? = nil,
        locale: String? = nil,
        acceptLanguage: String? = nil,
        iosBundleID: String? = nil
    ) {
        self.locale = locale?.cut(toBytes: Self.maximumLocaleBytes)
        self.acceptLanguage = acceptLanguage?.cut(toBytes: Self.maximumHeaderBytes)
        self.scope = scope
        self.isPrivileged = isPrivileged
        self.actor = actor ?? (isPrivileged ? "admin" : "user")
        self.adminScopes = adminScopes
        self.address = address
        self.userAgent = userAgent?.cut(toBytes: Self.maximumHeaderBytes)
        self.iosBundleID = iosBundleID
    }

    /// Whether secrets of the configuration and password hashes may be shown (`contract/rulings.md` 12).
    package var maySeeSecrets: Bool { isPrivileged && adminScopes.isSuperset(of: .all) }

    /// This call with the scope that its tokens turned out to belong to.
    package func inScope(_ scope: Scope) -> CallContext {
        var copy = self
        copy.scope = scope
        return copy
    }
}
