import Project

extension ProviderCheck {
    // Error codes of RFC 6749 §5.2, and GitHub's own.
    private static let strangers: Set<String> = ["invalid_client", "unauthorized_client", "incorrect_client_credentials"]
    private static let acquaintances: Set<String> = ["invalid_grant", "bad_verification_code"]

    /// Whether the provider accepts our client id and secret. It is asked to exchange an invalid code, and its error shows
    /// whether it refuses the client or only the code.
    ///
    /// - Parameters:
    ///   - profile: The profile with the token endpoint.
    ///   - redirectURI: Our redirect URI.
    /// - Returns: The finding; `nil` when codes are not exchanged, or not by OAuth 2.0.
    func client(_ profile: AuthorizationProfile, redirectURI: String) async -> Finding? {
        guard profile.grant != .oauth1, let endpoint = profile.tokenEndpoint, let authentication = profile.authentication else {
            return nil
        }
        let form = [
            (name: "grant_type", value: "authorization_code"), (name: "code", value: "postern-provider-check"),
            (name: "client_id", value: profile.clientID), (name: "redirect_uri", value: redirectURI),
            (name: "code_verifier", value: environment.randomText(length: 64)),
        ]
        let request = TokenEndpoint.request(form, to: endpoint, clientID: profile.clientID, authentication)
        let answer: OutboundHTTP.Response
        do {
            answer = try await environment.http(request)
        } catch {
            return Finding(subject: "client", isGood: false, text: "\(endpoint): \(Self.reason(error))")
        }
        let error = (try? JSONValue.parse(answer.body))?["error"]?.string ?? ""
        if answer.status == 401 || Self.strangers.contains(error) {
            return Finding(subject: "client", isGood: false, text: "the provider refuses our client id or our secret")
        }
        if answer.status == 404 || answer.status >= 500 {
            return Finding(subject: "client", isGood: false, text: "\(endpoint): answered with status \(answer.status)")
        }
        let knows = Self.acquaintances.contains(error)
        let text =
            knows ? "the provider takes our client id and our secret" : "the provider does not say whether it knows our client"
        return Finding(subject: "client", isGood: true, text: text)
    }
}
