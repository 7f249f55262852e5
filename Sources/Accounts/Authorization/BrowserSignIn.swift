import Federation
import Foundation
package import Project
import Storage

/// What the web handler does between an app, a browser and an identity provider (`contract/web-handler.md` §3).
package struct BrowserSignIn: Sendable {
    private let configurations: ConfigurationStore
    private let environment: ServerEnvironment
    private let flows: AuthorizationFlows
    private let verification: AppVerificationTokens
    private let continueURLs: ContinueURLRule
    private let throttle: Throttle
    private let publicURL: @Sendable () -> String
    private let mode: ServerMode

    // 256 bits.
    private static let browserLength = 43
    private static let handlerSuffix = HandlerDelivery.path
    // The rest of an answer is of no use to anybody, and some of it would stand in the way of reading it.
    private static let answerNames: Set<String> = [
        "state", "code", "id_token", "user", "iss", "error", "oauth_token", "oauth_verifier", "denied",
    ]

    /// - Parameters:
    ///   - configurations: Says which domains are authorized.
    ///   - environment: The randomness.
    ///   - flows: Sign-in by way of a provider's pages.
    ///   - verification: What stands in for reCAPTCHA.
    ///   - continueURLs: Checks where people are sent back to.
    ///   - throttle: Counts the flows that are begun.
    ///   - publicURL: `server.publicURL`.
    ///   - mode: Development serves under any of its names.
    package init(
        configurations: ConfigurationStore,
        environment: ServerEnvironment,
        flows: AuthorizationFlows,
        verification: AppVerificationTokens,
        continueURLs: ContinueURLRule,
        throttle: Throttle,
        publicURL: @escaping @Sendable () -> String,
        mode: ServerMode
    ) {
        self.configurations = configurations
        self.environment = environment
        self.flows = flows
        self.verification = verification
        self.continueURLs = continueURLs
        self.throttle = throttle
        self.publicURL = publicURL
        self.mode = mode
    }

    // MARK: Where

    /// Where the handler is for whoever asked: under the public URL, or under a name of the app's own that leads here.
    ///
    /// - Parameters:
    ///   - authority: The `Host` of the request, which is believed only where it is authorized (threat case WEB-08).
    ///   - scope: Whose domains.
    /// - Returns: Scheme and authority.
    /// - Throws: `APIError`; `StorageError`.
    package func origin(_ authority: String?, scope: Scope) async throws -> String {
        let base = URLComponents(string: publicURL())
        let scheme = base?.scheme ?? "https"
        let own = base?.host.map { host in "\(scheme)://\(host)" + (base?.port.map { ":\($0)" } ?? "") } ?? publicURL()
        guard let authority = authority?.lowercased(), let asked = URLComponents(string: "\(scheme)://\(authority)"),
            let host = asked.host, authority.wholeMatch(of: /[a-z0-9.\-]+(:[0-9]{1,5})?|\[[0-9a-f:.]+\](:[0-9]{1,5})?/) != nil
        else { return own }
        let domains = try await domains(scope)
        let isOurs = mode == .development || ContinueURLRule.isAuthorized(host, domains)
        return isOurs ? "\(scheme)://\(authority)" : own
    }

    /// The domains whose pages may sign in, the server's own host among them.
    ///
    /// - Throws: `APIError`; `StorageError`.
    package func domains(_ scope: Scope) async throws -> [String] {
        let own = URLComponents(string: publicURL())?.host
        return try await configurations.configuration(of: scope.project).policy.authorizedDomains + [own].compactMap { $0 }
    }

    // MARK: Beginning

    /// A browser on its way to a provider.
    package struct Departure: Sendable {
        /// Where to.
        package let address: String
        /// What the browser keeps as a cookie.
        package let browser: String
    }

    /// Reads what an app asks for.
    ///
    /// - Parameters:
    ///   - parameters: Of the handler's URL.
    ///   - scope: The project and tenant that they name.
    /// - Returns: What is asked for, and where the result goes.
    /// - Throws: ``HandlerRefusal``; `APIError`; `StorageError`.
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
    ///
    /// - Parameters:
    ///   - session: What is asked for.
    ///   - parameters: Of the handler's URL.
    ///   - origin: Of the handler.
    ///   - browser: The browser's cookie, if it has one.
    ///   - context: Where the user will sign in, and who asks.
    /// - Returns: Where to send it.
    /// - Throws: `APIError` as ``Throttle/flow(context:)`` and ``AuthorizationFlows/start(_:scope:)``; `StorageError`.
    package func begin(
        _ session: HandlerSession,
        _ parameters: HandlerParameters,
        origin: String,
        browser: String?,
        context: CallContext
    ) async throws -> Departure {
        guard let providerID = parameters["providerId"] else { throw APIError(.missingProviderID) }
        // The hash, for the URL of a native app is seen by others.
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
        try await throttle.flow(context: context)
        let started = try await flows.start(start, scope: context.scope)
        return Departure(address: started.authURI, browser: browser)
    }

    private static func wellFormed(_ browser: String) -> String? {
        browser.wholeMatch(of: /[A-Za-z0-9]{43}/) == nil ? nil : browser
    }

    // MARK: The provider's answer

    /// Whether a form is a provider's answer, and not an app's question.
    package static func isAnswer(_ form: String) -> Bool {
        FormEncoding.pairs(form[...].utf8).contains { ["state", "oauth_token", "denied", "SAMLResponse"].contains($0.name) }
    }

    /// Takes a provider's answer; no token of it appears in any URL.
    ///
    /// - Parameters:
    ///   - form: Query, fragment or posted body.
    ///   - isPosted: By the provider's page, so that strict browsers may leave out the cookie.
    ///   - browser: The browser's cookie.
    ///   - scope: The project.
    /// - Returns: What the app gets.
    /// - Throws: ``HandlerRefusal``; `StorageError`.
    package func answer(_ form: String, isPosted: Bool, browser: String?, scope: Scope) async throws -> HandlerDelivery {
        let pairs = FormEncoding.pairs(form[...].utf8).filter { Self.answerNames.contains($0.name) }
        let kept = PercentEncoding.form(pairs)
        guard let answer = AuthorizationAnswer(CredentialForm(requestURI: "", postBody: kept)), let key = answer.key,
            let waiting = try await flows.waiting(for: key, projectID: scope.projectID), !waiting.hasAnswer,
            let session = waiting.handlerData.flatMap(HandlerSession.init),
            fits(browser, session, isPosted: isPosted),
            try await flows.keep(form: kept, for: key, projectID: scope.projectID)
        else { throw HandlerRefusal.over }
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

    // Another browser's answer is refused (threat case OAU-01). Without a cookie a posted one passes where something else ties it
    // to its beginning: the event id that the opening page waits for, or the session id that an app keeps to itself; and under plain http,
    // where cookies that cross sites cannot be had.
    private func fits(_ browser: String?, _ session: HandlerSession, isPosted: Bool) -> Bool {
        guard let browser else {
            return isPosted
                && (session.target.isNative || session.eventID != nil || !publicURL().lowercased().hasPrefix("https:"))
        }
        return session.browser.map { constantTimeEqual($0, hexadecimal(sha256(browser.utf8))) } ?? false
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

    /// What an app is told of an error before anybody went to a provider.
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

    /// Makes the token of somebody who pressed the button.
    ///
    /// - Throws: `APIError` as ``AppVerificationTokens/issue(context:)``; `StorageError`.
    package func verificationToken(context: CallContext) async throws -> String {
        try await verification.issue(context: context)
    }
}
