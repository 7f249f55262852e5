import Project

extension ProviderCheck {
    // Error codes of RFC 6749 §5.2, and GitHub's own.
    private static let strangers: Set<String> = ["invalid_client", "unauthorized_client", "incorrect_client_credentials"]
    private static let acquaintances: Set<String> = ["invalid_grant", "bad_verification_code"]

    /// Whether the provider accepts our client id and secret. It is asked for something that shows it without a user: a request token
    /// (OAuth 1.0a), a token of our own app, or the exchange of an invalid code, whose error shows whether the client is refused or only
    /// the code.
    ///
    /// - Returns: The finding; `nil` when there is no secret to try out.
    func client(_ profile: AuthorizationProfile, redirectURI: String) async -> Finding? {
        guard let endpoint = profile.tokenEndpoint, let authentication = profile.authentication else { return nil }
        do {
            if profile.grant == .oauth1 { return try await requestToken(profile, redirectURI: redirectURI) }
            let form = profile.givesOwnToken ? Self.ownToken(profile) : invalidCode(profile, redirectURI: redirectURI)
            let request = TokenEndpoint.request(form, to: endpoint, clientID: profile.clientID, authentication)
            let answer = try await environment.http(request)
            return profile.givesOwnToken ? Self.judgeOwnToken(answer, endpoint) : Self.judgeInvalidCode(answer, endpoint)
        } catch {
            return Finding(subject: "client", isGood: false, text: "\(endpoint): \(Self.reason(error))")
        }
    }

    private static let known = Finding(
        subject: "client",
        isGood: true,
        text: "the provider takes our client id and our secret"
    )
    private static let refused = Finding(
        subject: "client",
        isGood: false,
        text: "the provider refuses our client id or our secret"
    )

    private static func failed(_ endpoint: String, _ status: Int) -> Finding {
        Finding(subject: "client", isGood: false, text: "\(endpoint): answered with status \(status)")
    }

    private func invalidCode(_ profile: AuthorizationProfile, redirectURI: String) -> [(name: String, value: String)] {
        [
            ("grant_type", "authorization_code"), ("code", "postern-provider-check"), ("client_id", profile.clientID),
            ("redirect_uri", redirectURI), ("code_verifier", environment.randomText(length: 64)),
        ]
    }

    private static func judgeInvalidCode(_ answer: OutboundHTTP.Response, _ endpoint: String) -> Finding {
        let error = (try? answer.json())?["error"]?.string ?? ""
        if answer.status == 401 || strangers.contains(error) { return refused }
        if answer.status == 404 || answer.status >= 500 { return failed(endpoint, answer.status) }
        if acquaintances.contains(error) { return known }
        return Finding(subject: "client", isGood: true, text: "the provider does not say whether it knows our client")
    }

    // RFC 6749 §4.4.
    private static func ownToken(_ profile: AuthorizationProfile) -> [(name: String, value: String)] {
        [("grant_type", "client_credentials"), ("client_id", profile.clientID)]
    }

    private static func judgeOwnToken(_ answer: OutboundHTTP.Response, _ endpoint: String) -> Finding {
        if TokenEndpoint.isSuccess(answer.status), (try? answer.json())?["access_token"]?.string != nil { return known }
        return answer.status == 400 || answer.status == 401 ? refused : failed(endpoint, answer.status)
    }

    // RFC 5849 §2.1. The token is left to expire.
    private func requestToken(_ profile: AuthorizationProfile, redirectURI: String) async throws -> Finding? {
        guard let endpoint = profile.requestTokenEndpoint, case .post(let secret) = profile.authentication else { return nil }
        do {
            _ = try await OAuth1(environment: environment).requestToken(
                callback: redirectURI,
                endpoint: endpoint,
                OAuth1.Credentials(consumerKey: profile.clientID, consumerSecret: secret)
            )
            return Self.known
        } catch let error as ProviderError {
            // Twitter answers 401 for our key or secret, and 403 for a callback that the app does not list.
            switch (error.cause as? OAuth1.RequestError)?.status {
            case 400, 401: return Self.refused
            case 403:
                let text = "the provider refuses our redirect URI, or our app may not sign users in"
                return Finding(subject: "client", isGood: false, text: text)
            case let status?: return Self.failed(endpoint, status)
            case nil: throw error.cause ?? error
            }
        }
    }
}
