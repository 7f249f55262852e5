import Crypto
import Foundation
import Project
import TestKit
import Testing

/// Shared parts of the suites about flows: a server with providers that users can be sent to.
enum FlowServer {
    static let redirect = "https://app.example.com/callback"
    static let appleKey = P256.Signing.PrivateKey()

    /// Starts a server whose clients are registered at the providers.
    static func start(
        mode: ServerMode = .production,
        environment: [String: String] = [:],
        on engine: Engine = .sqlite,
        gapiScript: String? = nil
    ) async throws -> TestServer {
        let server = try await TestServer.start(
            mode: mode,
            environment: environment,
            project: project,
            on: engine,
            gapiScript: gapiScript
        )
        register(at: server)
        return server
    }

    /// Registers the clients of the project at the providers.
    static func register(at server: TestServer) {
        let provider = server.provider.authorization
        let clock = server.clock
        provider.setClock { clock.now }
        for (clientID, secret) in [
            ("post-client", FakeAuthorizationServer.ClientSecret.post("post-secret")), ("implicit-client", .post("")),
            ("code-client", .basic("code-secret")), ("google-client", .basic("google-secret")),
            ("acme-client", .basic("acme-secret")), ("twitter-key", .post("twitter-secret")),
            ("facebook-client", .post("facebook-secret")), ("github-client", .post("github-secret")),
            ("microsoft-client", .post("microsoft-secret")), ("yahoo-client", .basic("yahoo-secret")),
            ("linkedin-client", .basic("linkedin-secret")), ("discord-client", .post("discord-secret")),
            ("x-client", .basic("x-secret")),
        ] {
            provider.register(clientID, secret)
        }
        // The providers' own APIs have the same apps.
        for (name, app) in [("twitter", "twitter-key"), ("facebook", "facebook-client"), ("github", "github-client")] {
            server.provider.apps.register(app, secret: "\(name)-secret", at: name)
        }
        for clientID in ["com.example.web", "com.example.app", "com.example.two"] {
            provider.register(clientID, .signed(appleKey.publicKey, teamID: "TEAM", keyID: "KEY"))
        }
    }

    static func project(_ provider: FakeIDP) -> String {
        let key = appleKey.pemRepresentation.replacing("\n", with: "\\n")
        return """
            config:
              signIn: {anonymous: {enabled: true}}
              authorizedDomains: [localhost, app.example.com]
            defaultSupportedIdpConfigs:
              apple.com:
                enabled: true
                clientId: com.example.web
                appleSignInConfig:
                  bundleIds: [com.example.app, com.example.two]
                  codeFlowConfig: {teamId: TEAM, keyId: KEY, privateKey: "\(key)"}
              google.com: {enabled: true, clientId: google-client, clientSecret: google-secret}
              twitter.com: {enabled: true, clientId: twitter-key, clientSecret: twitter-secret}
              facebook.com: {enabled: true, clientId: facebook-client, clientSecret: facebook-secret}
              github.com: {enabled: true, clientId: github-client, clientSecret: github-secret}
              microsoft.com: {enabled: true, clientId: microsoft-client, clientSecret: microsoft-secret}
              yahoo.com: {enabled: true, clientId: yahoo-client, clientSecret: yahoo-secret}
              discord.com: {enabled: true, clientId: discord-client, clientSecret: discord-secret}
              linkedin.com: {enabled: true, clientId: linkedin-client, clientSecret: linkedin-secret}
            oauthIdpConfigs:
              oidc.code:
                enabled: true
                clientId: code-client
                clientSecret: code-secret
                issuer: "\(provider.issuer("code"))"
                responseType: {code: true}
              oidc.post:
                enabled: true
                clientId: post-client
                clientSecret: post-secret
                issuer: "\(provider.issuer("post"))"
                responseType: {code: true}
              oidc.implicit: {enabled: true, clientId: implicit-client, issuer: "\(provider.issuer("implicit"))"}
              oidc.nosecret: {enabled: true, clientId: x, issuer: "\(provider.issuer("code"))", responseType: {code: true}}
              oidc.off: {enabled: false, clientId: off, issuer: "\(provider.issuer("off"))"}
            tenants:
              acme:
                oauthIdpConfigs:
                  oidc.code:
                    enabled: true
                    clientId: acme-client
                    clientSecret: acme-secret
                    issuer: "\(provider.issuer("acme"))"
                    responseType: {code: true}
              x:
                defaultSupportedIdpConfigs:
                  twitter.com: {enabled: true, clientId: x-client, clientSecret: x-secret, oauth2Config: {enabled: true}}
              xopen:
                defaultSupportedIdpConfigs:
                  twitter.com:
                    enabled: true
                    clientId: x-client
                    clientSecret: x-secret
                    oauth2Config: {enabled: true, allowClientAccessTokens: true}
            """
    }
}

struct BegunFlow {
    let authURI: String
    let sessionID: String

    /// The parameters of the authorization request.
    var query: [String: String] {
        let items = URLComponents(string: authURI)?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
    }
}

extension TestServer {
    func begin(_ providerID: String, _ extra: JSONValue = [:]) async throws -> BegunFlow {
        let body: JSONValue = ["providerId": .string(providerID), "continueUri": .string(FlowServer.redirect)]
        let answer = try await call("createAuthUri", body.merging(extra))
        #expect(answer.status == 200, "\(answer.errorMessage ?? "")")
        #expect(answer["kind"] == "identitytoolkit#CreateAuthUriResponse")
        #expect(answer["providerId"] == .string(providerID))
        return BegunFlow(authURI: try #require(answer["authUri"]?.string), sessionID: try #require(answer["sessionId"]?.string))
    }

    /// Completes a flow with what the browser carried.
    func complete(
        _ answer: FakeAuthorizationServer.Answer,
        _ sessionID: String?,
        _ extra: JSONValue = [:]
    ) async throws -> TestClient.Answer {
        var body: JSONValue = ["requestUri": .string(answer.requestURI)]
        body["sessionId"] = sessionID.map(JSONValue.string)
        body["postBody"] = answer.postBody.map(JSONValue.string)
        return try await call("signInWithIdp", body.merging(extra))
    }

    func signInByFlow(_ providerID: String, _ extra: JSONValue = [:]) async throws -> TestClient.Answer {
        let flow = try await begin(providerID)
        return try await complete(try await FakeAuthorizationServer.visit(flow.authURI), flow.sessionID, extra)
    }
}
