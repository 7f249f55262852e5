package import Project
import Tokens

/// Revokes Apple's tokens (`Docs/Contract/web-handler.md` §7.2, 6).
package struct AppleTokens: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case refreshToken = "REFRESH_TOKEN"
        case accessToken = "ACCESS_TOKEN"
        /// An authorization code, which is exchanged first.
        case code = "CODE"
    }

    // The limit on the bundle ids that a code is tried with. More tries would only cause load.
    private static let maximumTries = 5

    private let apple: AppleProvider
    private let endpoint: TokenEndpoint

    package init(apple: AppleProvider, http: OutboundHTTP) {
        self.apple = apple
        endpoint = TokenEndpoint(http: http)
    }

    /// Revokes a token of one of Apple's users.
    ///
    /// - Parameters:
    ///   - redirectURI: The redirect URI that a code of the web was requested with. Native codes have none.
    ///   - subject: Apple's id of the user. A token that is known to belong to another user is not revoked (threat case APL-12).
    /// - Throws: ``ProviderError``; `APIError` `OPERATION_NOT_ALLOWED` without a private key.
    package func revoke(
        _ token: String,
        _ kind: Kind,
        redirectURI: String?,
        of subject: String,
        _ client: ClientRegistration
    ) async throws {
        guard client.appleKey != nil else {
            throw APIError(.operationNotAllowed, "The identity provider configuration has no codeFlowConfig.")
        }
        switch kind {
        case .accessToken:
            // Apple's access tokens are opaque. They do not show whose they are.
            try await revoke(token, hint: "access_token", try apple.profile(for: client, clientID: client.clientID))
        case .refreshToken:
            let (profile, tokens) = try await firstAccepted(client, among: [client.clientID] + client.bundleIDs) { profile in
                try await refresh(token, profile)
            }
            try check(tokens, subject)
            try await revoke(token, hint: "refresh_token", profile)
        case .code:
            let candidates = redirectURI == nil ? client.bundleIDs + [client.clientID] : [client.clientID]
            let (profile, tokens) = try await firstAccepted(client, among: candidates) { profile in
                try await endpoint.exchange(code: token, redirectURI: redirectURI, verifier: nil, profile)
            }
            try check(tokens, subject)
            guard let refreshToken = tokens.refreshToken else {
                guard let accessToken = tokens.accessToken else { return }
                return try await revoke(accessToken, hint: "access_token", profile)
            }
            try await revoke(refreshToken, hint: "refresh_token", profile)
        }
    }

    // A native token does not show which of our apps it is for.
    private func firstAccepted(
        _ client: ClientRegistration,
        among clientIDs: [String],
        _ attempt: (AuthorizationProfile) async throws -> TokenAnswer
    ) async throws -> (AuthorizationProfile, TokenAnswer) {
        var failure = ProviderError(.exchange, "The identity provider has no client for the token.")
        for clientID in clientIDs.prefix(Self.maximumTries) {
            let profile = try apple.profile(for: client, clientID: clientID)
            do {
                return (profile, try await attempt(profile))
            } catch let error as ProviderError where !(error.cause is OutboundError) {
                failure = error
            }
        }
        throw failure
    }

    private func refresh(_ token: String, _ profile: AuthorizationProfile) async throws -> TokenAnswer {
        guard let url = profile.tokenEndpoint, let authentication = profile.authentication else { return TokenAnswer() }
        let form = [
            (name: "grant_type", value: "refresh_token"), (name: "refresh_token", value: token),
            (name: "client_id", value: profile.clientID),
        ]
        return TokenAnswer(try await endpoint.post(form, to: url, clientID: profile.clientID, authentication))
    }

    // The token endpoint answers over TLS, so its ID token needs no signature check (OpenID Connect Core 1.0 §3.1.3.7, 6).
    private func check(_ tokens: TokenAnswer, _ subject: String) throws {
        let owner = tokens.idToken.flatMap { try? CompactJWS($0) }?.payload["sub"]?.string
        guard bytesEqual(owner, subject) else { throw ProviderError(.claims, "The token belongs to another user.") }
    }

    private func revoke(_ token: String, hint: String, _ profile: AuthorizationProfile) async throws {
        guard let authentication = profile.authentication else { return }
        let form = [
            (name: "client_id", value: profile.clientID), (name: "token", value: token), (name: "token_type_hint", value: hint),
        ]
        _ = try await endpoint.post(
            form,
            to: apple.revocationEndpoint,
            clientID: profile.clientID,
            authentication
        )
    }
}
