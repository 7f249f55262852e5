import Foundation
package import Project
package import Storage

/// The link that carries a one-time code (`contract/client-accounts.md` §12.3).
package struct OOBLink: Sendable {
    private let publicURL: @Sendable () -> String
    private let mode: ServerMode
    private let apiKey: String

    /// - Parameters:
    ///   - publicURL: `server.publicURL`, which alone decides where links lead: never a header of a request (OOB-01).
    ///   - mode: Development's links lead to the emulator's endpoint.
    ///   - apiKey: The key that the link names.
    package init(publicURL: @escaping @Sendable () -> String, mode: ServerMode, apiKey: String) {
        self.publicURL = publicURL
        self.mode = mode
        self.apiKey = apiKey
    }

    /// Where an app takes over.
    package struct App: Sendable {
        package var iOSBundleID: String?
        package var androidPackageName: String?
        package var linkDomain: String?

        package init(iOSBundleID: String? = nil, androidPackageName: String? = nil, linkDomain: String? = nil) {
            self.iOSBundleID = iOSBundleID
            self.androidPackageName = androidPackageName
            self.linkDomain = linkDomain
        }

        fileprivate var isNamed: Bool { iOSBundleID != nil || androidPackageName != nil || linkDomain != nil }
    }

    /// Builds a link.
    ///
    /// - Parameters:
    ///   - draft: The code.
    ///   - scope: Whose account.
    ///   - language: `lang`, for the page.
    ///   - continueURL: Where the page leads on to.
    ///   - app: The app that the link opens, where the client wants that; development does not wrap.
    ///   - callback: The project's `notification.sendEmail.callbackUri`.
    /// - Returns: The link.
    package func text(
        _ draft: OOBCodeMint.Draft,
        scope: Scope,
        language: String,
        continueURL: String?,
        app: App? = nil,
        callback: String? = nil
    ) -> String {
        let base = publicURL()
        let page = mode == .development ? base + Self.emulatorPath : callback ?? base + Self.pagePath
        var items = [
            ("mode", draft.record.type.linkMode), ("lang", language), ("oobCode", draft.code), ("apiKey", apiKey),
        ]
        if let continueURL { items.append(("continueUrl", continueURL)) }
        if let tenantID = scope.tenantID { items.append(("tenantId", tenantID)) }
        let query = items.map { "\($0)=\(Self.escaped($1))" }.joined(separator: "&")
        let link = page + (page.contains("?") ? "&" : "?") + query
        guard mode == .production, let app, app.isNamed else { return link }
        let host = app.linkDomain.map { "https://\($0)" } ?? base
        return "\(host)/__/auth/links?link=\(Self.escaped(link))"
    }

    /// Whether a link is one that ``text(_:scope:language:continueURL:app:callback:)`` makes, before it is wrapped for an app.
    ///
    /// The texts are compared as they are, so that no two readings of a URL can differ.
    ///
    /// - Parameters:
    ///   - link: The link.
    ///   - callback: As there.
    /// - Returns: Whether it is; development also knows its links to the page.
    package func isOwn(_ link: String, callback: String?) -> Bool {
        guard link.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else { return false }
        let base = publicURL()
        let pages = [base + Self.pagePath, callback] + (mode == .development ? [base + Self.emulatorPath] : [])
        return pages.compactMap { $0 }.contains { link.hasPrefix($0 + ($0.contains("?") ? "&" : "?")) }
    }

    private static let pagePath = "/__/auth/action"
    private static let emulatorPath = "/emulator/action"

    private static func escaped(_ text: String) -> String {
        let unreserved = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}

extension OOBRequestType {
    /// `mode` of the link.
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
