import Foundation
import Project

/// One authorization request, encoded in a URL (RFC 6749 §4.1.1, OpenID Connect Core 1.0 §3.1.2.1).
package struct AuthorizationRequest: Sendable {
    package var redirectURI: String
    /// Scopes beyond the profile's own.
    package var scopes: [String] = []
    /// The app's own parameters. Reserved ones are left out.
    package var customParameters: [String: String] = [:]
    package var loginHint: String?
    /// Google's `hd`.
    package var hostedDomain: String?
    package var state: String
    /// The raw nonce. Only its hash is sent.
    package var nonce: String?
    package var codeVerifier: String?

    /// Parameter names that an app may not use, because the protocol defines them (`Docs/Contract/client-accounts.md` §7).
    package static let reservedParameters: Set<String> = [
        "client_id", "response_type", "scope", "redirect_uri", "state",
    ]
    /// The reserved parameter of OAuth 1.0a.
    package static let requestTokenParameter = "oauth_token"

    // The reserved names, and all other parameters that would change what the flow proves.
    private static let ownParameters = reservedParameters.union([
        "nonce", "code_challenge", "code_challenge_method", "response_mode", "request", "request_uri", "client_secret",
        "client_assertion", "client_assertion_type", "registration", "claims", "max_age", "oauth_callback",
    ])
    private static let maximumParameters = 50

    package init(redirectURI: String, state: String) {
        self.redirectURI = redirectURI
        self.state = state
    }

    /// The URL that the browser is sent to.
    package func url(_ profile: AuthorizationProfile) -> String {
        var pairs: [(name: String, value: String)] = [
            ("client_id", profile.clientID), ("redirect_uri", redirectURI), ("response_type", profile.grant.rawValue),
        ]
        let scopes = Self.union(profile.scopes, scopes)
        if !scopes.isEmpty { pairs.append(("scope", scopes.joined(separator: profile.scopeSeparator))) }
        pairs.append(("state", state))
        if let mode = profile.responseMode { pairs.append(("response_mode", mode)) }
        if let nonce { pairs.append(("nonce", Self.sentNonce(nonce))) }
        if let codeVerifier {
            pairs += [("code_challenge", Self.challenge(codeVerifier)), ("code_challenge_method", "S256")]
        }
        pairs += profile.parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        if let loginHint { pairs.append(("login_hint", loginHint)) }
        if let hostedDomain { pairs.append(("hd", hostedDomain)) }
        let taken = Set(pairs.map(\.name))
        pairs += custom.filter { !taken.contains($0.name) }
        return Self.append(pairs, to: profile.authorizationEndpoint)
    }

    /// The URL of OAuth 1.0a's second step. Its request token identifies the flow (RFC 5849 §2.2).
    package func url(_ profile: AuthorizationProfile, requestToken: String) -> String {
        let own = Self.requestTokenParameter
        return Self.append(
            [(own, requestToken)] + custom.filter { $0.name.lowercased() != own },
            to: profile.authorizationEndpoint
        )
    }

    /// The nonce that the provider receives: the lower-case hex SHA-256 of the raw one, as native SDKs send it to Apple.
    package static func sentNonce(_ raw: String) -> String { hexadecimal(sha256(raw.utf8)) }

    /// The S256 challenge of a verifier (RFC 7636 §4.2).
    static func challenge(_ verifier: String) -> String { Base64URL.encode(sha256(verifier.utf8)) }

    private var custom: [(name: String, value: String)] {
        customParameters.filter { !Self.ownParameters.contains($0.key.lowercased()) && !$0.key.isEmpty }
            .sorted { $0.key < $1.key }.prefix(Self.maximumParameters).map { ($0.key, $0.value) }
    }

    private static func union(_ own: [String], _ further: [String]) -> [String] {
        var scopes = own
        for scope in further.prefix(OAuthScopes.maximumCount) where OAuthScopes.isScope(scope) && !scopes.contains(scope) {
            scopes.append(scope)
        }
        return scopes
    }

    private static func append(_ pairs: [(name: String, value: String)], to endpoint: String) -> String {
        endpoint + (endpoint.contains("?") ? "&" : "?") + PercentEncoding.form(pairs)
    }
}
