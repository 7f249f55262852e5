package import Federation
package import Project
import Settings
import Storage
import Tenancy
import Tokens

/// Sign-in through an identity provider's own pages: begun by `accounts:createAuthUri` or the web handler, completed by
/// `accounts:signInWithIdp` (`Docs/Contract/client-accounts.md` §5 and §7, `Docs/Contract/web-handler.md` §3).
///
/// A flow is bound to provider, client id, redirect URI, scope and session, lives for minutes, and can be completed once.
package struct AuthorizationFlows: UsesRuntime {
    let runtime: Runtime
    let sealer: TokenSealer
    let throttle: Throttle
    let lifetime: Duration
    let clients: ProviderClients
    let continueURLs: ContinueURLRule

    // 43 characters of 62 hold 256 bits.
    private static let stateLength = 43
    private static let sessionIDLength = 27
    private static let nonceLength = 32
    // RFC 7636 §4.1 allows 43 to 128.
    private static let verifierLength = 64

    var seals: FlowSealer { FlowSealer(sealer: sealer) }

    var tokens: TokenEndpoint { TokenEndpoint(http: environment.http) }

    var oauth1: OAuth1 { OAuth1(environment: environment) }

    private var redirects: RedirectURIRule { RedirectURIRule(continueURLs: continueURLs) }

    /// The session that a flow is bound to.
    package enum Session: Sendable {
        /// The client's own session id, or one drawn here when it is `nil`.
        case id(String?)
        /// The lower-case hex SHA-256 of a session id that only the client knows. Native apps use it, because others may see
        /// their URLs (`Docs/Contract/web-handler.md` §5). The hash itself does not complete the flow.
        case hashed(String)
    }

    /// The flow to begin.
    package struct Start: Sendable {
        package var providerID: String
        /// The address that the provider sends people back to.
        package var redirectURI: String
        package var session: Session
        /// Scopes beyond the provider's usual ones.
        package var scopes: [String] = []
        package var customParameters: [String: String] = [:]
        package var loginHint: String?
        package var hostedDomain: String?
        /// `authFlowType` is `CODE_FLOW`.
        package var wantsCode = false
        /// Returned to the client after sign-in.
        package var context: String?
        /// The data that the web handler needs when the provider answers.
        package var handlerData: JSONValue?
        /// Whether the provider must answer at ``redirectURI``, as the web handler needs it, and not where its configuration says.
        package var mustComeBackHere = false
        /// Whether the user signs in to prove the presence of a person whom the app knows already.
        package var isReauthentication = false

        package init(providerID: String, redirectURI: String, session: Session) {
            self.providerID = providerID.lowercased()
            self.redirectURI = redirectURI
            self.session = session
        }
    }

    /// A flow that has begun.
    package struct Started: Sendable {
        package let providerID: String
        /// The provider's address for the browser.
        package let authURI: String
        /// The session id that completes the flow; `nil` when only the client knows it.
        package let sessionID: String?
        /// The key that the provider's answer carries.
        package let key: FlowKey
        package let expiresAt: Timestamp
    }

    /// Begins a flow.
    ///
    /// - Throws: `APIError` `INVALID_CONTINUE_URI`, `UNAUTHORIZED_DOMAIN`, `INVALID_PROVIDER_ID`, `OPERATION_NOT_ALLOWED`,
    ///   `INVALID_IDP_RESPONSE` when the provider does not answer or a session hash is malformed.
    package func start(_ start: Start, scope: Scope) async throws -> Started {
        let domains = try await configurations.configuration(of: scope).policy.authorizedDomains
        try redirects.check(start.redirectURI, domains: domains)
        let (sessionID, sessionHash) = try session(start.session)
        var secrets = FlowSecrets()
        secrets.selection = AuthorizationSelection(directory: directory(start), wantsCode: start.wantsCode)
        secrets.sessionID = sessionID
        secrets.context = start.context
        let (provider, registration) = try await clients.client(start.providerID, scope: scope)
        let (key, authURI): (FlowKey, String)
        do {
            let profile = try await provider.profile(for: registration, secrets.selection)
            secrets.samlConsumerURL = try profile.saml.map { try consumer($0.config, start, domains: domains) }
            (key, authURI) = try await request(start, profile, &secrets)
        } catch let error as ProviderError {
            throw error.apiError
        }
        let now = environment.now()
        let expiresAt = now.advanced(by: lifetime)
        var record = AuthorizationFlowRecord(
            stateHash: sha256(key.text.utf8),
            scope: scope,
            providerID: start.providerID,
            clientID: registration.clientID,
            redirectURI: start.redirectURI,
            sessionHash: sessionHash,
            secrets: try seals.seal(secrets, scope: scope, expiresAt: expiresAt),
            createdAt: now,
            expiresAt: expiresAt
        )
        record.handlerData = start.handlerData?.text
        let flow = record
        try await database.write { try $0.insertAuthorizationFlow(flow) }
        return Started(
            providerID: start.providerID,
            authURI: authURI,
            sessionID: sessionID,
            key: key,
            expiresAt: expiresAt
        )
    }

    private func request(
        _ start: Start,
        _ profile: AuthorizationProfile,
        _ secrets: inout FlowSecrets
    ) async throws -> (FlowKey, String) {
        let state = environment.randomText(length: Self.stateLength)
        var request = AuthorizationRequest(redirectURI: start.redirectURI, state: state)
        request.scopes = start.scopes
        request.customParameters = start.customParameters
        let facts = Providers.facts(of: start.providerID)
        if let name = facts?.directoryParameter, secrets.selection.directory != nil { request.customParameters[name] = nil }
        request.loginHint = start.loginHint
        request.hostedDomain = facts?.takesHostedDomain == true ? start.hostedDomain : nil
        if profile.grant == .oauth1 {
            let token = try await oauth1.requestToken(
                callback: start.redirectURI,
                endpoint: profile.requestTokenEndpoint ?? "",
                profile.consumer
            )
            secrets.requestToken = token.token
            secrets.requestTokenSecret = token.secret
            return (.requestToken(token.token), request.url(profile, requestToken: token.token))
        }
        if profile.usesNonce { request.nonce = environment.randomText(length: Self.nonceLength) }
        if profile.usesPKCE { request.codeVerifier = environment.randomText(length: Self.verifierLength) }
        if let saml = profile.saml { return (.state(state), try await samlRequest(saml, start, state, &secrets)) }
        secrets.nonce = request.nonce
        secrets.codeVerifier = request.codeVerifier
        return (.state(state), request.url(profile))
    }

    private func directory(_ start: Start) -> String? {
        guard let name = Providers.facts(of: start.providerID)?.directoryParameter,
            let directory = start.customParameters[name], !directory.isEmpty
        else { return nil }
        return directory
    }

    // In both cases the store has only the SHA-256 of the session id.
    private func session(_ session: Session) throws -> (id: String?, hash: [UInt8]) {
        switch session {
        case .id(let own):
            let id = own ?? environment.randomText(length: Self.sessionIDLength)
            return (id, sha256(id.utf8))
        case .hashed(let hash):
            guard let bytes = Self.digest(hash) else {
                throw APIError(.invalidIdPResponse, "The session id's hash is no SHA-256 in lower-case hex.")
            }
            return (nil, bytes)
        }
    }

    private static func digest(_ text: String) -> [UInt8]? {
        let digits = Array("0123456789abcdef".utf8)
        let values = text.utf8.compactMap { digits.firstIndex(of: $0) }
        guard values.count == 64, text.utf8.count == 64 else { return nil }
        return (0..<32).map { UInt8(values[$0 * 2] << 4 | values[$0 * 2 + 1]) }
    }
}

extension AuthorizationProfile {
    /// This server's credentials at an OAuth 1.0a provider.
    var consumer: OAuth1.Credentials {
        let secret =
            switch authentication {
            case .basic(let secret), .post(let secret): secret
            case nil: ""
            }
        return OAuth1.Credentials(consumerKey: clientID, consumerSecret: secret)
    }
}
