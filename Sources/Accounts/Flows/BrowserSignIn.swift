import Federation
import Foundation
package import Project
import Storage
import Tenancy

/// The web handler's part of a sign-in, between an app, a browser and an identity provider (`Docs/Contract/web-handler.md` §3).
package struct BrowserSignIn: UsesRuntime {
    let runtime: Runtime
    let throttle: Throttle
    let flows: AuthorizationFlows
    let verification: AppVerificationTokens
    let continueURLs: ContinueURLRule

    // 43 characters of 62 hold 256 bits.
    private static let browserLength = 43
    private static let handlerSuffix = HandlerDelivery.path
    // The parameters of an answer that are stored; others are unused, and some would disturb its reading.
    private static let answerNames: Set<String> = [
        "state", "code", "id_token", "user", "iss", "error", "oauth_token", "oauth_verifier", "denied",
        "SAMLResponse", "RelayState",
    ]

    // MARK: Where

    /// The handler's origin for a request: the public URL, or the app's own authorized name that leads here.
    ///
    /// - Parameters:
    ///   - authority: The `Host` of the request, used only when it is authorized (threat case WEB-08).
    ///   - forwarded: The host that a trusted proxy says the browser asked for. It goes before `Host`, and needs to be authorized
    ///     in any mode.
    package func origin(_ authority: String?, forwarded: Authority?, scope: Scope) async throws -> String {
        let publicURL = continueURLs.publicURL()
        guard let base = WebAddress(publicURL) else { return publicURL }
        let scheme = base.isSecure ? "https" : "http"
        let own = "\(scheme)://\(base.authority)"
        let hosts = AuthorizedHosts(try await domains(scope), publicURL: publicURL)
        if let asked = forwarded, hosts.contains(asked.host) { return "\(scheme)://\(asked)" }
        guard let asked = authority.flatMap(Authority.init) else { return own }
        return mode.trustsNamedHosts || hosts.contains(asked.host) ? "\(scheme)://\(asked)" : own
    }

    /// Reads `authorizedDomains`, whose pages may sign in.
    package func domains(_ scope: Scope) async throws -> [String] {
        try await configurations.configuration(of: scope.project).policy.authorizedDomains
    }

    /// The server's own host. Its pages may sign in, too.
    package var ownHost: HostName? { WebAddress(continueURLs.publicURL())?.host }

    // MARK: Beginning

    /// A browser on its way to a provider.
    package struct Departure: Sendable {
        /// The provider's address.
        package let address: String
        /// The value of the browser's cookie.
        package let browser: String
    }

    /// Reads an app's request.
    package func session(_ parameters: HandlerParameters, scope: Scope) async throws -> HandlerSession {
        let session = try HandlerSession(parameters)
        if !session.target.isNative {
            let domains = try await domains(scope)
            guard let address = parameters["redirectUrl"], continueURLs.webAddress(address, domains: domains) != nil else {
                throw HandlerRefusal.foreignPage
            }
        }
        return session
    }

    /// Sends a browser to a provider.
    package func begin(
        _ session: HandlerSession,
        _ parameters: HandlerParameters,
        origin: String,
        browser: String?,
        context: CallContext
    ) async throws -> Departure {
        guard let providerID = parameters["providerId"] else { throw APIError(.missingProviderID) }
        // A native app sends only the hash, because others may see its URL.
        let secret: AuthorizationFlows.Session = session.target.isNative ? .hashed(parameters["sessionId"] ?? "") : .id(nil)
        let browser = browser.flatMap(Self.wellFormed) ?? environment.randomText(length: Self.browserLength)
        var remembered = session
        remembered.browser = hexadecimal(sha256(browser.utf8))
        var start = AuthorizationFlows.Start(
            providerID: providerID,
            redirectURI: origin + HandlerDelivery.path,
            session: secret
        )
        start.scopes = OAuthScopes.parse(parameters["scopes"] ?? "", providerID: start.providerID)
        start.customParameters = parameters.custom
        start.handlerData = try remembered.remembered()
        start.mustComeBackHere = true
        start.isReauthentication = session.isReauthentication
        try await throttle.flow(storing: start.handlerData?.text.utf8.count ?? 0, context: context)
        let started = try await flows.start(start, scope: context.scope)
        return Departure(address: started.authURI, browser: browser)
    }

    private static func wellFormed(_ browser: String) -> String? {
        browser.wholeMatch(of: /[A-Za-z0-9]{43}/) == nil ? nil : browser
    }

    // MARK: The provider's answer

    /// Whether a form is a provider's answer, not an app's request.
    package static func isAnswer(_ form: String) -> Bool {
        FormEncoding.pairs(form[...].utf8).contains { ["state", "oauth_token", "denied", "SAMLResponse"].contains($0.name) }
    }

    /// Whether a form has a SAML response. Providers post it, since addresses are kept in histories and logs.
    package static func isSAMLAnswer(_ form: String) -> Bool {
        FormEncoding.pairs(form[...].utf8).contains { $0.name == "SAMLResponse" }
    }

    /// Takes a provider's answer. None of its tokens appears in a URL.
    ///
    /// - Parameter form: Query, fragment or posted body.
    package func answer(_ form: String, browser: String?, context: CallContext) async throws -> HandlerDelivery {
        let scope = context.scope
        let kept = PercentEncoding.form(Self.kept(form))
        guard let answer = AuthorizationAnswer(CredentialForm(requestURI: "", postBody: kept)), let key = answer.key,
            let waiting = try await flows.waiting(for: key, projectID: scope.projectID), !waiting.hasAnswer,
            let session = waiting.handlerData.flatMap(HandlerSession.init)
        else { throw HandlerRefusal.over }
        guard let browser else { throw HandlerRefusal.lostCookie }
        guard fits(browser, session), try await flows.keep(form: kept, for: key, context: context) else {
            throw HandlerRefusal.over
        }
        if case .redirect(_, _, let address) = session.target {
            let domains = try await domains(scope)
            guard continueURLs.webAddress(address, domains: domains) != nil else { throw HandlerRefusal.foreignPage }
        }
        let outcome: HandlerDelivery.Outcome =
            answer.error.map { Self.failure(ofProvider: $0, isCancelled: answer.isCancelled) }
            ?? .answered(query: Self.query(key), sessionID: waiting.sessionID)
        return HandlerDelivery(
            session: session,
            outcome: outcome,
            origin: String(waiting.redirectURI.dropLast(Self.handlerSuffix.count))
        )
    }

    /// The pairs of a provider's answer that are stored, in their order.
    package static func kept(_ form: String) -> [(name: String, value: String)] {
        FormEncoding.pairs(form[...].utf8).filter { answerNames.contains($0.name) }
    }

    // An answer from another browser, or without the browser's cookie, is refused for every target
    // (threat cases OAU-01 and WEB-09): event ids and session ids are chosen by the one who begins the flow, so they prove
    // nothing.
    private func fits(_ browser: String, _ session: HandlerSession) -> Bool {
        guard let known = session.browser else { return false }
        return constantTimeEqual(known, hexadecimal(sha256(browser.utf8)))
    }

    private static func query(_ key: FlowKey) -> String {
        switch key {
        case .state(let state): PercentEncoding.form([("state", state)])
        case .requestToken(let token): PercentEncoding.form([("oauth_token", token)])
        }
    }

    private static func failure(ofProvider error: String, isCancelled: Bool) -> HandlerDelivery.Outcome {
        if isCancelled { return .failed(code: "user-cancelled", message: "The user did not consent to the sign-in.") }
        if ["invalid_client", "unauthorized_client"].contains(error) {
            return .failed(code: "invalid-oauth-client-id", message: "The identity provider does not know this client.")
        }
        return .failed(code: "internal-error", message: "The identity provider answered with an error.")
    }

    /// Translates an error that occurred before the browser went to a provider into the app's error.
    package static func failure(_ error: APIError) -> HandlerDelivery.Outcome {
        let code =
            switch error.code {
            case .operationNotAllowed, .projectDisabled: "operation-not-allowed"
            case .invalidProviderID, .missingProviderID: "invalid-provider-id"
            case .invalidTenantID, .tenantNotFound: "invalid-tenant-id"
            case .unauthorizedDomain: "unauthorized-domain"
            case .tooManyAttemptsTryLater: "too-many-requests"
            default: "internal-error"
            }
        return .failed(code: code, message: error.message)
    }

    // MARK: Verification of apps

    /// Makes the token for a person who pressed the button.
    package func verificationToken(context: CallContext) async throws -> String {
        try await verification.issue(context: context)
    }
}
