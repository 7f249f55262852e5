/// The facts of a call that the rules need, independent of HTTP.
package struct CallContext: Sendable {
    /// The project, and the tenant if the request named one.
    package var scope: Scope
    /// Whether an administrator calls.
    package var isPrivileged: Bool
    /// The actor in the audit trail: `user`, or the administrator's credential.
    package var actor: String
    /// The administrator's scopes; empty for other callers. The route's own need has been checked before.
    package var adminScopes: AdminScopes
    /// The client's address, for the audit trail.
    package var address: String?
    /// The id of the request, as the log and the answer's `X-Request-Id` have it.
    package var requestID: String?
    /// `X-Firebase-Locale`.
    package var locale: String?
    /// `Accept-Language`.
    package var acceptLanguage: String?
    /// The client's `User-Agent`, shown beside its session.
    package var userAgent: String?
    /// `X-Ios-Bundle-Identifier`: the app that the caller claims to be.
    package var iosBundleID: String?
    /// `Origin`: the page that a browser says it calls from. Other clients may say what they like.
    package var origin: String?

    /// Tells whether the answer has reached the client; `nil` where the caller is on this machine. It is no part of the facts that are kept.
    package var delivery: (any AnswerDelivery)?
    /// What is learnt on the way, for the record of a refusal.
    package let refusalFacts = RefusalFacts()

    /// Whether secrets are hidden from an administrator who could see them, as on screens.
    package var hidesSecrets = false
    /// The claim whose accounts this caller neither changes nor makes; `nil` for callers who may.
    package var protectedClaim: String?
    /// Whether the caller is an operator whose last proof of a factor is too old to change how users sign in.
    package var lacksFreshProof = false
    /// Whether the accounts of a disabled tenant are reached: the command line, and development's exports and imports, reach them.
    package var reachesDisabled = false

    // Header texts are stored, sent and shown. They are cut at these lengths, which real ones do not reach.
    private static let maximumHeaderBytes = 1024
    private static let maximumLocaleBytes = 64

    package init(
        scope: Scope,
        isPrivileged: Bool = false,
        actor: String? = nil,
        adminScopes: AdminScopes = [],
        address: String? = nil,
        requestID: String? = nil,
        userAgent: String? = nil,
        locale: String? = nil,
        acceptLanguage: String? = nil,
        iosBundleID: String? = nil,
        origin: String? = nil
    ) {
        self.locale = locale?.cut(toBytes: Self.maximumLocaleBytes)
        self.acceptLanguage = acceptLanguage?.cut(toBytes: Self.maximumHeaderBytes)
        self.scope = scope
        self.isPrivileged = isPrivileged
        self.actor = actor ?? (isPrivileged ? "admin" : "user")
        self.adminScopes = adminScopes
        self.address = address
        self.requestID = requestID
        self.userAgent = userAgent?.cut(toBytes: Self.maximumHeaderBytes)
        self.iosBundleID = iosBundleID
        self.origin = origin?.cut(toBytes: Self.maximumHeaderBytes)
    }

    /// Whether secrets of the configuration and password hashes may be shown (`Docs/Contract/rulings.md` 12).
    package var maySeeSecrets: Bool { isPrivileged && !hidesSecrets && adminScopes.isSuperset(of: .all) }

    /// This call in the scope that its token belongs to.
    package func inScope(_ scope: Scope) -> CallContext {
        var copy = self
        copy.scope = scope
        return copy
    }
}
