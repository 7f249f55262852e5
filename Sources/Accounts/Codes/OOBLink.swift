import Messaging
package import Project
package import Storage
import Tenancy

/// The link that carries a one-time code (`Docs/Contract/client-accounts.md` §12.3).
package struct OOBLink: Sendable {
    let mode: ModeRules
    let publicURL: @Sendable () -> String
    let apiKey: String

    /// The app that opens a link.
    package struct App: Sendable {
        package var iOSBundleID: String?
        package var androidPackageName: String?
        /// One of the project's own hosts; `nil` for the server's host.
        package var linkDomain: HostName?

        package init(iOSBundleID: String? = nil, androidPackageName: String? = nil, linkDomain: HostName? = nil) {
            self.iOSBundleID = iOSBundleID
            self.androidPackageName = androidPackageName
            self.linkDomain = linkDomain
        }

        fileprivate var isNamed: Bool { iOSBundleID != nil || androidPackageName != nil || linkDomain != nil }
    }

    /// A link, with the language of its message and its page.
    struct Localized: Sendable {
        let text: String
        let language: EmailLanguage
    }

    /// Builds a link to the project's page, in the language of the caller.
    ///
    /// - Parameter app: The app that opens the link; development ignores it.
    func link(
        _ draft: OOBCodeMint.Draft,
        continueURL: String? = nil,
        app: App? = nil,
        _ configuration: ScopeConfiguration,
        context: CallContext
    ) -> Localized {
        let language = EmailLanguage.negotiate(
            firebaseLocale: context.locale,
            acceptLanguage: context.acceptLanguage,
            projectDefault: configuration.document["notification"]?["defaultLocale"]?.string
        )
        let base = publicURL()
        let own = Self.callback(configuration.document) ?? base + Self.pagePath
        let page = mode.linksLeadToEmulatorPage ? base + Self.emulatorPath : own
        let type = ("mode", Optional(draft.record.type.linkMode))
        let (code, key) = (("oobCode", Optional(draft.code)), ("apiKey", Optional(apiKey)))
        let (next, tongue) = (("continueUrl", continueURL), ("lang", Optional(language.rawValue)))
        let tenant = ("tenantId", context.scope.tenantID)
        // The iOS SDK splits the decoded query of a wrapped link at each `&` and loses the first pair of the inner link. In
        // Firebase's order that is the API key, which the SDK does not need. Development uses the emulator's order
        // (`Docs/Contract/emulator-endpoints.md` §3).
        let order =
            mode.linksLeadToEmulatorPage ? [type, tongue, code, key, next, tenant] : [key, type, code, next, tongue, tenant]
        let items = order.compactMap { name, value in value.map { (name: name, value: $0) } }
        let text = page + (page.contains("?") ? "&" : "?") + PercentEncoding.form(items)
        guard mode.wrapsLinksForApps, let app, app.isNamed else { return Localized(text: text, language: language) }
        let host = app.linkDomain.map { "https://\($0)" } ?? base
        return Localized(text: "\(host)/__/auth/links?link=\(PercentEncoding.encode(text))", language: language)
    }

    /// Whether ``link(_:continueURL:app:_:context:)`` could have made a link, before wrapping for an app.
    ///
    /// The link is compared as text, so that two URL parsers cannot disagree about it.
    ///
    /// - Returns: Whether it is one; in development this includes links to the emulator's page.
    func isOwn(_ link: String, _ configuration: ScopeConfiguration) -> Bool {
        guard link.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else { return false }
        let base = publicURL()
        let pages =
            [base + Self.pagePath, Self.callback(configuration.document)]
            + (mode.linksLeadToEmulatorPage ? [base + Self.emulatorPath] : [])
        return pages.compactMap { $0 }.contains { link.hasPrefix($0 + ($0.contains("?") ? "&" : "?")) }
    }

    // The configured page of the project; `nil` when it is not set or not a valid URL.
    private static func callback(_ document: JSONValue) -> String? {
        document["notification"]?["sendEmail"]?["callbackUri"]?.string.flatMap {
            WebAddress(configured: $0, network: NetworkGuard(allowPrivateNetworks: true)) == nil ? nil : $0
        }
    }

    private static let pagePath = "/__/auth/action"
    private static let emulatorPath = "/emulator/action"
}

extension OOBRequestType {
    /// The value of `mode` in the link.
    package var linkMode: String {
        switch self {
        case .passwordReset: "resetPassword"
        case .verifyEmail: "verifyEmail"
        case .emailSignIn: "signIn"
        case .verifyAndChangeEmail: "verifyAndChangeEmail"
        case .recoverEmail: "recoverEmail"
        case .revertSecondFactorAddition: "revertSecondFactorAddition"
        }
    }
}
