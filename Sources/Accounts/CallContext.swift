package import Project

/// What the rules know of the call that they serve; nothing of HTTP.
package struct CallContext: Sendable {
    /// The project, and the tenant if the request named one.
    package var scope: Scope
    /// Whether an administrator calls.
    package var isPrivileged: Bool
    /// The client's address, for the audit trail.
    package var address: String?
    /// `X-Firebase-Locale`.
    package var locale: String?
    /// `Accept-Language`.
    package var acceptLanguage: String?
    /// The client's `User-Agent`, shown beside its session.
    package var userAgent: String?

    package init(
        scope: Scope,
        isPrivileged: Bool = false,
        address: String? = nil,
        userAgent: String? = nil,
        locale: String? = nil,
        acceptLanguage: String? = nil
    ) {
        self.locale = locale
        self.acceptLanguage = acceptLanguage
        self.scope = scope
        self.isPrivileged = isPrivileged
        self.address = address
        self.userAgent = userAgent
    }

    /// Who acts, as the audit trail calls them.
    package var actor: String { isPrivileged ? "admin" : "user" }

    /// Whether password hashes may be shown (`contract/admin-accounts.md` §3.2).
    package var maySeeSecrets: Bool { isPrivileged }

    /// This call with the scope that its tokens turned out to belong to.
    package func inScope(_ scope: Scope) -> CallContext {
        var copy = self
        copy.scope = scope
        return copy
    }
}
