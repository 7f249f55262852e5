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

    /// `X-Ios-Bundle-Identifier`: what an iOS app calls itself.
    package var bundleIdentifier: String?

    package init(
        scope: Scope,
        isPrivileged: Bool = false,
        address: String? = nil,
        userAgent: String? = nil,
        locale: String? = nil,
        acceptLanguage: String? = nil,
        bundleIdentifier: String? = nil
    ) {
        self.locale = locale
        self.bundleIdentifier = bundleIdentifier
        self.acceptLanguage = acceptLanguage
        self.scope = scope
        self.isPrivileged = isPrivileged
        self.address = address
        self.userAgent = userAgent
    }

    /// This call with the scope that its tokens turned out to belong to.
    package func inScope(_ scope: Scope) -> CallContext {
        var copy = self
        copy.scope = scope
        return copy
    }
}
