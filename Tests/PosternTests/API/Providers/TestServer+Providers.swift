import Foundation
import Project
import TestKit
import Testing

extension TestServer {
    static let app = "our-app"
    static let secret = "our-secret"

    /// Every provider that accepts access tokens or has its own ID tokens, all with the same registration.
    static func providersProject(_ more: String = "") -> (FakeIDP) -> String {
        { provider in
            """
            config: {signIn: {anonymous: {enabled: true}}}
            defaultSupportedIdpConfigs:
              apple.com: {enabled: true, clientId: com.example.web, appleSignInConfig: {bundleIds: [\(appleClient)]}}
              google.com: {enabled: true, clientId: \(googleClient), additionalClientIds: [google-ios]}
              facebook.com: {enabled: true, clientId: \(app), clientSecret: \(secret)}
              github.com: {enabled: true, clientId: \(app), clientSecret: \(secret)}
              microsoft.com: {enabled: true, clientId: \(app), clientSecret: \(secret)}
              yahoo.com: {enabled: true, clientId: \(app), clientSecret: \(secret)}
              linkedin.com: {enabled: true, clientId: \(app), clientSecret: \(secret)}
              twitter.com: {enabled: true, clientId: \(app), clientSecret: \(secret), issuer: "\(provider.issuer("x"))"}
              playgames.google.com: {enabled: true, clientId: \(app), clientSecret: \(secret)}
              gc.apple.com: {enabled: true}
            oauthIdpConfigs:
              oidc.test: {enabled: true, clientId: \(oidcClient), issuer: "\(provider.issuer("oidc"))"}
            tenants:
              closed: {enableAnonymousUser: true}
              bare:
                defaultSupportedIdpConfigs:
                  facebook.com: {enabled: true, clientId: \(app)}
                  github.com: {enabled: true, clientId: \(app)}
                  linkedin.com: {enabled: true, clientId: \(app)}
                  twitter.com: {enabled: true, clientId: \(app)}
                  playgames.google.com: {enabled: true, clientId: \(app)}
                  google.com: {enabled: true}
                  gc.apple.com: {enabled: true}
                  microsoft.com: {enabled: true, clientId: \(app), allowedTenants: [OURS]}
            \(more)
            """
        }
    }

    /// Starts a server with that project. Our app and a foreign app are registered at each provider.
    static func startWithProviders(
        mode: ServerMode = .production,
        environment: [String: String] = [:],
        on engine: Engine = .sqlite
    ) async throws -> TestServer {
        let server = try await start(mode: mode, environment: environment, project: providersProject(), on: engine)
        for provider in ["facebook", "github", "linkedin", "twitter", "playgames"] {
            server.provider.apps.register(app, secret: secret, at: provider)
            server.provider.apps.register("their-app", secret: "their-secret", at: provider)
        }
        return server
    }

    /// Calls `signInWithIdp` with a credential of any form.
    func signIn(_ providerID: String, form: [(String, String)], _ extra: JSONValue = [:]) async throws -> TestClient.Answer {
        let pairs = [("providerId", providerID)] + form
        let body: JSONValue = ["requestUri": "http://localhost", "postBody": .string(TestClient.encode(pairs))]
        return try await call("signInWithIdp", body.merging(extra))
    }

    /// A valid token of one of these providers.
    func providerToken(_ issuer: String, _ subject: String, _ overrides: JSONValue = [:]) throws -> String {
        try provider.token(claims(issuer, Self.app, subject, overrides))
    }

    func entry(_ providerID: String, of session: Session) async throws -> JSONValue {
        let entries = try await account(session)["providerUserInfo"]?.array ?? []
        return try #require(entries.first { $0["providerId"]?.string == providerID })
    }
}

/// Expects the contract's refusal of a credential, with no session in it.
func expectRefused(
    _ answer: TestClient.Answer,
    _ prefix: String = "INVALID_IDP_RESPONSE : ",
    _ comment: String = "",
    location: SourceLocation = #_sourceLocation
) {
    #expect(answer.status == 400, "\(comment)", sourceLocation: location)
    let message = answer.errorMessage ?? "none"
    #expect(message.hasPrefix(prefix), "\(comment) \(message)", sourceLocation: location)
    #expect(answer["idToken"] == nil, sourceLocation: location)
}
